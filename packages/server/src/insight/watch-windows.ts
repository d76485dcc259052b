// Looks every few seconds at the windows of teams with recent calls, so that their highest use is known without help from admission.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Directory } from '../directory/create-directory.ts'
import type { Log } from '../http/log.ts'
import { reportTo } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { keepRunning } from '../world/timers.ts'
import type { World } from '../world/world.ts'
import { type LimitsInUseDependencies, noteWindows } from './team-detail.ts'

export type WatchWindowsParts = LimitsInUseDependencies &
  Pick<World, 'clock' | 'every'> & {
    readonly directory: Pick<Directory, 'everyTeam'>
    readonly read: Pick<Store['read'], 'readLastSeen'>
    readonly log: Pick<Log, 'warn' | 'error'>
  }

/** A twelfth of a window. */
const lookMs = 5000
/** A call is known by its start once it has ended: a stream may take this long. */
const latelyMs = 15 * 60_000
/** Lets calls run in between, because a thousand teams have many levels. */
const teamsAtOnce = 50

/** Returns its stop. A look that takes longer than five seconds skips the next ones. */
export function watchWindows(parts: WatchWindowsParts): () => Promise<void> {
  const report = reportTo(parts.log, 'error', 'The windows of teams could not be read.')
  return keepRunning(parts.every, lookMs, () => lookAtWindows(parts).catch(report))
}

async function lookAtWindows(parts: WatchWindowsParts): Promise<void> {
  const now = parts.clock()
  const seen = await parts.read.readLastSeen({ since: now, until: now })
  const lately = new Set(
    seen.flatMap(({ teamId, lastCallAt }) =>
      lastCallAt !== null && lastCallAt > now - latelyMs ? [teamId] : [],
    ),
  )
  const teams = parts.directory.everyTeam().filter(({ teamId }) => lately.has(teamId))
  for (let first = 0; first < teams.length; first += teamsAtOnce) {
    await noteWindows(parts, teams.slice(first, first + teamsAtOnce), parts.clock())
    await nextTurn()
  }
}
