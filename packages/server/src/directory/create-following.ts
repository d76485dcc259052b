// How a process on PostgreSQL follows what other processes change in the directory: what it needs to, and what the log says of it.

import type { Log } from '../http/log.ts'
import type { ServerChoice } from '../store/postgres/choose-server.ts'
import { listenToDirectory } from '../store/postgres/listen-to-directory.ts'
import { messageOf } from '../world/message-of.ts'
import { every } from '../world/timers.ts'
import type { FollowingDependencies } from './follow-directory.ts'

export function createFollowing(parts: {
  /** As in the table of processes. */
  readonly processId: () => string
  /** The server itself where DATABASE_URL is that of a pooler. */
  readonly database: ServerChoice
  readonly log: Pick<Log, 'info' | 'warn'>
}): FollowingDependencies {
  const { processId, database, log } = parts
  return {
    processId,
    listen: hear => {
      const reportFailure = (error: unknown) =>
        log.warn(
          { reason: messageOf(error) },
          'No notices of changes arrive from the database. Until they do, changes of teams and keys are looked for twice a second.',
        )
      return listenToDirectory({ database, hear, reportFailure })
    },
    every,
    wait: milliseconds => Bun.sleep(milliseconds),
    monotonicMs: () => performance.now(),
    reportCurrent: error =>
      error === null
        ? log.info({}, 'Teams and keys are up to date again.')
        : log.warn(
            { reason: messageOf(error) },
            'Teams and keys may be out of date: paid calls are refused until they are read.',
          ),
    reportBehind: (processes, version) =>
      log.warn(
        { processes, version },
        'A change was answered before these processes had it. They refuse paid calls as long as they do not.',
      ),
  }
}
