// The logbook door's routes: every endpoint is registered here and nowhere else.
import type { Directory } from '../directory/create-directory.ts'
import type { Route } from '../http/route.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { GroupCommit, type GroupCommitDependencies } from './accept-entries/group-commit.ts'
import { type AcceptEntriesDependencies, acceptEntriesRoute } from './accept-entries/route.ts'
import { announcementsRoute } from './announcements-route.ts'
import type { LogTokenCaller } from './authenticate-log-token.ts'
import { listEntriesRoute } from './list-entries/route.ts'

export type LogbookDependencies = Pick<World, 'clock'> &
  Pick<Directory, 'announcements'> &
  Omit<AcceptEntriesDependencies, 'groupCommit'> &
  Pick<GroupCommitDependencies, 'reportFailure'> & {
    readonly store: {
      readonly read: Pick<Store['read'], 'readEntriesPage'>
      readonly write: Pick<Store['write'], 'appendEntries'>
      readonly handover: Pick<Store['handover'], 'discard'>
    }
  }

export function createLogbookRoutes(dependencies: LogbookDependencies): Route<LogTokenCaller>[] {
  const { store, reportFailure } = dependencies
  const groupCommit = new GroupCommit({ ...store.write, ...store.handover, reportFailure })
  return [
    acceptEntriesRoute({ ...dependencies, groupCommit }),
    listEntriesRoute(store.read),
    announcementsRoute(dependencies.announcements, dependencies.clock),
  ]
}
