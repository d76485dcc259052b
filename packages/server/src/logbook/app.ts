// The logbook door's routes: every endpoint is registered here and nowhere else.
import type { Route } from '../http/route.ts'
import { type CommitEntriesDependencies, createCommitEntries } from './accept-entries/commit-entries.ts'
import { type AcceptEntriesDependencies, acceptEntriesRoute } from './accept-entries/route.ts'
import type { LogTokenCaller } from './authenticate-log-token.ts'
import { type ListEntriesDependencies, listEntriesRoute } from './list-entries/route.ts'

export type LogbookDependencies = {
  /** The statements of the store that the logbook needs. */
  readonly store: {
    readonly read: Pick<ListEntriesDependencies, 'readEntriesPage'>
    readonly write: Pick<CommitEntriesDependencies, 'appendEntries'>
  }
  readonly preparer: AcceptEntriesDependencies['preparer']
  readonly observeEntries: AcceptEntriesDependencies['observeEntries']
  /** Told about every request whose entries could not be stored. */
  readonly reportFailure: (error: unknown) => void
}

export function createLogbookRoutes(dependencies: LogbookDependencies): Route<LogTokenCaller>[] {
  const { store, preparer, observeEntries, reportFailure } = dependencies
  const commitEntries = createCommitEntries({ appendEntries: store.write.appendEntries, reportFailure })
  return [
    acceptEntriesRoute({ preparer, commitEntries, observeEntries }),
    listEntriesRoute({ readEntriesPage: store.read.readEntriesPage }),
  ]
}
