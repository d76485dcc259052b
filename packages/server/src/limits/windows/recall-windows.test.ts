// The start of a process: how rows, charges and open streams restore the last minute, and how little of each is needed.
import { describe, expect, test } from 'bun:test'
import { firstIdOf } from '../../store/statements/calls.ts'
import type { RecentCharge } from '../../store/statements/window-rows.ts'
import { createMemoryLimits } from '../memory/create-memory-limits.ts'
import { buildKey, buildModel, buildRequest, buildTeam } from '../testing/build-parties.ts'
import { lookAt } from '../testing/look-at.ts'
import { type RecallDependencies, recallWindows } from './recall-windows.ts'

const now = 1_700_000_060_000
const caller = { teamId: 'team-1', keyHash: 'key-1', modelId: 'model-1' }
const chargeAt = (age: number, tokens = 0): RecentCharge => ({
  ...caller,
  units: { inputText: tokens, image: 7 },
  admittedAt: now - age,
})
const rowOf = (changes: string, sequence = 7) => ({
  sequence,
  writtenAt: now - 1000,
  wallAt: now - 1000,
  changes,
})

async function recall(
  given: {
    rows?: ReturnType<typeof rowOf>[]
    charges?: RecentCharge[]
    leftStreams?: RecallDependencies['leftStreams']
  } = {},
) {
  const limits = createMemoryLimits({ clock: () => now })
  const damage: number[] = []
  let asked: { since: number; firstCallId: string } | null = null
  const { lastSequence } = await recallWindows({
    read: {
      readWindowRows: async () => given.rows ?? [],
      readRecentCharges: async input => {
        asked = input
        return given.charges ?? []
      },
    },
    limits,
    clock: () => now,
    leftStreams: given.leftStreams ?? [],
    reportDamage: rows => damage.push(rows),
  })
  const left = (team = buildTeam({ rpmLimit: 100, tpmLimit: 1000 })) => {
    const { requests, tokens } = lookAt(limits, team, buildKey()).rates
    return { requests: requests?.remaining, tokens: tokens?.remaining }
  }
  return { limits, lastSequence, damage, asked: () => asked, left }
}

const teamRow = '[["team","team-1",null,[0,500],[500,40]]]'

describe('recallWindows', () => {
  test('complete rows are trusted, and the ledger is not read', async () => {
    const { left, asked, damage, lastSequence } = await recall({
      rows: [rowOf(teamRow)],
      charges: [chargeAt(5)],
    })
    expect(left()).toEqual({ requests: 98, tokens: 960 })
    expect(asked()).toBeNull()
    expect([damage, lastSequence]).toEqual([[], 7])
  })

  test('without rows the charges of the last minute count, at every level', async () => {
    const { limits, left, asked } = await recall({
      charges: [chargeAt(0, 5), chargeAt(59_999, 6), chargeAt(60_000, 7)],
    })
    expect(left()).toEqual({ requests: 98, tokens: 989 })
    expect(asked()).toEqual({ since: now - 60_000, firstCallId: firstIdOf(now - 660_000) })
    const one = new Map([['model-1', 2]])
    const levels = [
      { model: buildModel({ rpmLimit: 2 }) },
      { team: buildTeam({ modelRpmLimit: one }) },
      { key: buildKey({ rpmLimit: 2 }) },
      { key: buildKey({ modelRpmLimit: one }) },
    ]
    for (const changes of levels) expect(limits.admit(buildRequest(changes)).admitted).toBe(false)
  })

  // Shown to fail by adding both sources up instead of using the one that knows more calls of a millisecond.
  test('next to damaged rows, charges count once, and so does what only the complete rows have', async () => {
    const charges = [chargeAt(1500, 40), chargeAt(1500, 1), chargeAt(900, 5)]
    const { left, damage } = await recall({ rows: [rowOf('nothing', 6), rowOf(teamRow)], charges })
    // Two of that millisecond by both, one of 900 ms ago by the charges.
    expect(left().requests).toBe(97)
    expect(left().tokens).toBe(1000 - 41 - 5)
    expect(damage).toEqual([1])
  })

  test('use of an interrupted stream beyond its reservation counts from now on', async () => {
    const leftStreams = [
      { ...caller, units: { inputText: 10, outputText: 300, reasoning: 5 }, reservedTokens: 40 },
      { ...caller, units: {}, reservedTokens: 40 },
    ]
    const { left, limits } = await recall({ rows: [rowOf(teamRow)], leftStreams })
    expect(left()).toEqual({ requests: 98, tokens: 1000 - 40 - 275 })
    expect(limits.gatherWindows('commit')?.windows.map(({ name }) => name.level)).toContain('key_model')
  })
})

test('the first id of a millisecond sorts before all ids made in it, and after all earlier ones', () => {
  const id = Bun.randomUUIDv7('hex', now)
  expect(firstIdOf(now) <= id).toBe(true)
  expect(firstIdOf(now + 1) > id).toBe(true)
})
