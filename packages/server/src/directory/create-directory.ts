// Teams, members, keys and log tokens: looked up in memory and changed on disk first. Every change is audited and followed by all processes.
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import type { Store } from '../store/store.ts'
import { isStoreFailure } from '../store/store-unavailable.ts'
import { createAnnouncementCommands } from './announcement-commands.ts'
import { toAuditRow } from './audit.ts'
import { createBulkCommands } from './bulk-commands.ts'
import type { CommandDependencies } from './commands.ts'
import { type DirectoryLookups, DirectoryMemory } from './directory-memory.ts'
import { createApplyCommands } from './event/apply-commands.ts'
import { createEventCommands } from './event/event-commands.ts'
import { DirectoryFollower, type FollowingDependencies } from './follow-directory.ts'
import { createGrantCommands } from './grant-commands.ts'
import { createKeyCommands } from './key-commands.ts'
import { createLogTokenCommands } from './log-token-commands.ts'
import { createMemberCommands } from './member-commands.ts'
import { createOwnKeyCommands } from './own-key-commands.ts'
import { type ActionResult, carryOut, type Plan } from './planned-action.ts'
import { createQuestionCommands } from './question-commands.ts'
import { ChangeRunner } from './run-changes.ts'
import { createSeatCommands } from './seat-commands.ts'
import { createTeamCommands } from './team-commands.ts'
import { createUnchargedCommands } from './uncharged-commands.ts'

export type Directory = Awaited<ReturnType<typeof createDirectory>>

export type DirectoryDependencies = Omit<CommandDependencies, 'memory' | 'write' | 'run'> & {
  readonly store: Pick<Store, 'read' | 'write' | 'health'>
  /** How the directory follows other processes' changes; absent if there are no other processes. */
  readonly following?: FollowingDependencies
}

/** Loads everything. Commands run one after another; a lookup sees a change as soon as its command has resolved. */
export async function createDirectory({ store, following, ...others }: DirectoryDependencies) {
  const loadedAt = following?.monotonicMs() ?? 0
  const memory = await DirectoryMemory.load(store.read)
  const follower = following === undefined ? null : new DirectoryFollower(following, memory, store, loadedAt)
  const runner = new ChangeRunner({
    isUncertain: isStoreFailure,
    hasOthers: follower !== null,
    refresh: () => memory.refresh(),
    reload: async () => {
      await store.write.awaitDirectoryChanges(null)
      await memory.reload()
    },
    awaitOthers: follower?.awaitOthers ?? (async () => undefined),
  })
  // Reloads everything, because a database that took over from another may lack the last changes. If this fails too, another recovery follows.
  store.health.onRecovery(() => void runner.reload().catch(() => undefined))
  const dependencies = { ...others, memory, write: store.write, run: runner.run }
  // Copies the lookups as separate members; the parts that change the memory are not copied.
  const lookups: DirectoryLookups = { ...memory }
  return Object.freeze({
    ...lookups,
    /** The change that last wrote the event's settings; 0 before the first. */
    eventVersion: () => memory.versionOf(memory.event()),
    ...createTeamCommands(dependencies),
    ...createBulkCommands(dependencies, store.read),
    ...createGrantCommands(dependencies),
    ...createKeyCommands(dependencies),
    ...createLogTokenCommands(dependencies),
    ...createMemberCommands(dependencies),
    ...createAnnouncementCommands(dependencies),
    ...createOwnKeyCommands(dependencies),
    ...createQuestionCommands(dependencies, store.read),
    ...createEventCommands(dependencies),
    ...createSeatCommands(dependencies),
    ...createApplyCommands(dependencies),
    ...createCatalogCommands(dependencies),
    ...createUnchargedCommands(dependencies),
    /** See `Uncharged.follow` of the gateway. */
    followUncharged: async () => {
      await memory.refresh().catch(() => undefined)
      await follower?.awaitOthers(memory.version())
    },
    /** False if a change from more than a second ago may not apply here yet. Paid calls are then refused. */
    isCurrent: follower?.isCurrent ?? (() => true),
    /** See `DirectoryFollower`, for both. */
    catchUp: follower?.catchUp ?? (async () => undefined),
    noteSeen: follower?.noteSeen ?? ((_version: number, _askedAt: number) => undefined),
    /** Runs when another process has reloaded its model catalog. */
    onCatalogChange: (run: () => void) => memory.onCatalogChange(run),
    stop: follower?.stop ?? (async () => undefined),
  })
}

type CatalogChange = {
  readonly plan: Plan
  readonly before: object
  readonly after: object
  readonly use: () => void
}

/** Catalog changes are commands of the directory, so that they are audited and never run during a change that looks up models. */
function createCatalogCommands({ memory, write, run, clock }: CommandDependencies) {
  return {
    /** Runs `prepare`, records its states, then calls its `use`. Throws what `prepare` throws, and `preview_outdated`; nothing is changed then. */
    changeCatalog: <Prepared extends CatalogChange>(
      prepare: () => Prepared,
      request: ActionBody,
      actor: string,
    ): Promise<ActionResult<Prepared>> =>
      carryOut({ run, clock }, request, {
        plan: prepare,
        make: async (change, now) => {
          const { before, after } = change
          const audited = { action: 'catalog.reload', target: 'catalog', before, after }
          const audit = toAuditRow({ now, actor, reason: request.reason }, audited)
          const version = await write.recordCatalogChange({ audit })
          change.use()
          memory.noteCatalog(version)
          return { version, result: change }
        },
      }),
  }
}
