// The statements of the store that the directory needs, bound to their database.
import type * as audit from '../store/statements/audit.ts'
import type * as boardChanges from '../store/statements/board-changes.ts'
import type * as directoryLock from '../store/statements/directory-lock.ts'
import type * as keys from '../store/statements/gateway-keys.ts'
import type * as logTokens from '../store/statements/log-tokens.ts'
import type * as teams from '../store/statements/teams.ts'

/** A statement without its first parameter, the database. */
export type Bound<Statement> = Statement extends (db: never, ...input: infer Input) => Promise<infer Output>
  ? (...input: Input) => Promise<Output>
  : never

export type DirectoryStore = {
  readonly read: {
    readonly readTeams: Bound<typeof teams.readTeams>
    readonly readKeys: Bound<typeof keys.readKeys>
    readonly readLogTokens: Bound<typeof logTokens.readLogTokens>
  }
  /** Each is one transaction, and resolves when its commit is on disk. */
  readonly write: {
    readonly awaitDirectoryChanges: Bound<typeof directoryLock.awaitDirectoryChanges>
    readonly recordAudit: Bound<typeof audit.recordAudit>
    readonly insertTeam: Bound<typeof teams.insertTeam>
    readonly updateTeam: Bound<typeof teams.updateTeam>
    readonly insertKey: Bound<typeof keys.insertKey>
    readonly updateKey: Bound<typeof keys.updateKey>
    readonly deleteKeys: Bound<typeof keys.deleteKeys>
    readonly insertLogToken: Bound<typeof logTokens.insertLogToken>
    readonly revokeLogToken: Bound<typeof logTokens.revokeLogToken>
    readonly changeBoardLock: Bound<typeof boardChanges.changeBoardLock>
  }
}
