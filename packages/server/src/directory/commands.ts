// What the commands of the directory share: one at a time, disk first, memory next.
import type { AuditEntry } from '../store/statements/audit.ts'
import type { DirectoryMemory } from './directory-memory.ts'
import type { DirectoryStore } from './directory-store.ts'
import type { ResolveModel } from './resolve-models.ts'
import type { SerialQueue } from './serial-queue.ts'

export type CommandDependencies = {
  readonly memory: DirectoryMemory
  readonly write: DirectoryStore['write']
  readonly inTurn: SerialQueue
  readonly clock: () => number
  readonly randomBytes: (size: number) => Buffer
  /** A new unique id without prefix, such as a UUID. */
  readonly newId: () => string
  readonly resolveModel: ResolveModel
  readonly defaultMaxParallelRequests: number
}

export type Audited = {
  readonly action: string
  readonly actor: string
  readonly teamId: string
  readonly target: string
  readonly before: object | null
  readonly after: object | null
}

/** `before` and `after` are records as clients see them: they never hold a secret. */
export function buildAudit(now: number, audited: Audited): AuditEntry {
  return {
    at: now,
    actor: audited.actor,
    action: audited.action,
    team_id: audited.teamId,
    target: audited.target,
    before: audited.before === null ? null : JSON.stringify(audited.before),
    after: audited.after === null ? null : JSON.stringify(audited.after),
  }
}
