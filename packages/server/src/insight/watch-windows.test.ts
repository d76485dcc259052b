// Peaks of windows when no page is watched: teams with recent calls are looked at, others are not.
import { expect, test } from 'bun:test'
import { openTestDirectory } from '../directory/testing/open-test-directory.ts'
import type { Levels } from '../limits/port.ts'
import { WindowPeaks } from '../limits/windows/window-peaks.ts'
import { readLimitsInUse } from './team-detail.ts'
import { watchWindows } from './watch-windows.ts'

const minute = 60_000

test('the highest use of a window is known for an hour, even if no page showed it', async () => {
  const { directory, time, close } = await openTestDirectory()
  for (const team of ['red', 'blue']) {
    await directory.createTeam({ team_id: team, rpm_limit: 30 }, 'ada')
    await directory.generateKey({ team_id: team, key_alias: 'laptop' }, 'ada')
  }
  const used = new Map<string, number>()
  const looks: string[][] = []
  let rounds: (() => void)[] = []
  const parts = {
    directory,
    peaks: new WindowPeaks(),
    catalog: { models: [] },
    limits: {
      readSpend: async () => [],
      readWindows: (asked: readonly Levels[]) => {
        looks.push(asked.map(({ teamId }) => teamId))
        return asked.map(({ teamId, rates }) => ({
          running: 0,
          rates: rates.map(({ level, requests }) => ({
            level,
            requests: { limit: requests ?? 0, used: used.get(teamId) ?? 0, freesAt: null },
            tokens: null,
          })),
        }))
      },
    },
    read: {
      readLastSeen: async () => [
        { teamId: 'red', lastCallAt: time.now - minute, entries: 0 },
        { teamId: 'blue', lastCallAt: time.now - 16 * minute, entries: 0 },
        { teamId: 'gone', lastCallAt: time.now, entries: 0 },
      ],
    },
    clock: () => time.now,
    every: (_: number, run: () => void) => {
      rounds.push(run)
      return () => {
        rounds = []
      }
    },
    log: { warn: () => undefined, error: () => undefined },
  }
  const stop = watchWindows(parts)
  const look = async (use: number) => {
    used.set('red', use)
    for (const round of rounds) round()
    await Bun.sleep(0)
  }
  await look(12)
  await look(4)
  expect(looks).toEqual([['red'], ['red']])
  const team = directory.findTeam('red')
  if (team === undefined) throw new Error('There is a team.')
  const windowNow = async () =>
    (await readLimitsInUse(parts, team, time.now)).find(({ kind }) => kind === 'requests')
  expect(await windowNow()).toMatchObject({ used: 4, peak: 12 })
  used.set('red', 0)
  time.now += 59 * minute
  expect(await windowNow()).toMatchObject({ used: 0, peak: 12 })
  time.now += 2 * minute
  expect(await windowNow()).toMatchObject({ used: 0, peak: 0 })
  await stop()
  expect(rounds).toEqual([])
  await close()
})
