// Teams, members, keys and log tokens: looked up in memory, changed on disk first, every change audited and followed by all processes.
import type { ActBody } from '@fairgate/contracts/management/planned-act.ts'
import type { Store } from '../store/store.ts'
import { isStoreFailure } from '../store/store-unavailable.ts'
import { createAnnouncementCommands } from './announcement-commands.ts'
import { createBulkCommands } from './bulk-commands.ts'
import type { CommandDependencies } from './commands.ts'
import { createGrantCommands } from './correction-commands.ts'
import { type DirectoryLookups, DirectoryMemory } from './directory-memory.ts'
import { toAuditRow } from './directory-rows.ts'
import { createApplyCommands } from './event/apply-commands.ts'
import { createEventCommands } from './event/event-commands.ts'
import { DirectoryFollower, type FollowingDependencies } from './follow-directory.ts'
import { createKeyCommands } from './key-commands.ts'
import { createLogTokenCommands } from './log-token-commands.ts'
import { createMemberCommands } from './member-commands.ts'
import { createOwnKeyCommands } from './own-key-commands.ts'
import { type ActResult, carryOut, type Plan } from './planned-act.ts'
import { createQuestionCommands } from './question-commands.ts'
import { ChangeRunner } from './run-changes.ts'
import { createSeatCommands } from './seat-commands.ts'
import { createTeamCommands } from './team-commands.ts'
import { createUnchargedCommands } from './uncharged-commands.ts'

export type Directory = DirectoryLookups &
  ReturnType<typeof createTeamCommands> &
  ReturnType<typeof createBulkCommands> &
  ReturnType<typeof createGrantCommands> &
  ReturnType<typeof createKeyCommands> &
  ReturnType<typeof createLogTokenCommands> &
  ReturnType<typeof createMemberCommands> &
  ReturnType<typeof createAnnouncementCommands> &
  ReturnType<typeof createOwnKeyCommands> &
  ReturnType<typeof createQuestionCommands> &
  ReturnType<typeof createEventCommands> &
  ReturnType<typeof createSeatCommands> &
  ReturnType<typeof createApplyCommands> &
  ReturnType<typeof createCatalogCommands> &
  ReturnType<typeof createUnchargedCommands> & {
    /** See `Uncharged.follow` of the gateway. */
    readonly followUncharged: () => Promise<void>
    /** Of the settings of the event: the change that wrote them; 0 before anybody has set them. */
    readonly eventVersion: () => number
    /** False when a change of more than a second ago may not be in force here: paid calls are refused then. */
    readonly isCurrent: () => boolean
    /** See `DirectoryFollower`, for both. */
    readonly catchUp: () => Promise<void>
    readonly noteSeen: (version: number, askedAt: number) => void
    /** Runs when another process has read its file of models again. */
    readonly onCatalogChange: (run: () => void) => void
    readonly stop: () => Promise<void>
  }

export type DirectoryDependencies = Omit<CommandDependencies, 'memory' | 'write' | 'run'> & {
  readonly store: Pick<Store, 'read' | 'write' | 'health'>
  /** How it follows what other processes change; absent where there are no others. */
  readonly following?: FollowingDependencies
}

/** Loads everything. Commands run one after the other; a lookup sees a change as soon as its command has resolved. */
export async function createDirectory({
  store,
  following,
  ...others
}: DirectoryDependencies): Promise<Directory> {
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
  // Everything, since a database that took over from another may lack the last changes. When this fails too, another recovery follows.
  store.health.onRecovery(() => void runner.reload().catch(() => undefined))
  const dependencies = { ...others, memory, write: store.write, run: runner.run }
  const { findTeam, findKey, findKeyBySecret, findKeyName, findLogToken, findLogTokenById } = memory
  const { teams, everyTeam, keys, keysOfTeam, deletedKeys, logTokens, event, version } = memory
  const { findMember, members, membersOfTeam, announcements, unchargedOf, findHoldRatio } = memory
  return Object.freeze({
    findTeam,
    findKey,
    findKeyBySecret,
    findKeyName,
    findLogToken,
    findLogTokenById,
    teams,
    everyTeam,
    keys,
    keysOfTeam,
    deletedKeys,
    logTokens,
    findMember,
    members,
    membersOfTeam,
    announcements,
    unchargedOf,
    findHoldRatio,
    event,
    eventVersion: () => memory.versionOf(memory.event()),
    version,
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
    followUncharged: async () => {
      await memory.refresh().catch(() => undefined)
      await follower?.awaitOthers(memory.version())
    },
    isCurrent: follower?.isCurrent ?? (() => true),
    catchUp: follower?.catchUp ?? (async () => undefined),
    noteSeen: follower?.noteSeen ?? (() => undefined),
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

/** Changes of the catalog are commands of the directory, so that they are audited and never run beside a change that looks models up. */
function createCatalogCommands({ memory, write, run, clock }: CommandDependencies) {
  return {
    /** Runs `prepare`, records its states, then calls its `use`. Throws what `prepare` throws, and `preview_outdated`; nothing is changed then. */
    changeCatalog: <Prepared extends CatalogChange>(
      prepare: () => Prepared,
      act: ActBody,
      actor: string,
    ): Promise<ActResult<Prepared>> =>
      carryOut({ run, clock }, act, {
        plan: prepare,
        make: async (change, now) => {
          const { before, after } = change
          const audited = { action: 'catalog.reload', actor, teamId: '', target: 'catalog', before, after }
          const audit = { ...toAuditRow(now, audited), reason: act.reason ?? null }
          const version = await write.recordCatalogChange({ audit })
          change.use()
          memory.noteCatalog(version)
          return { version, result: change }
        },
      }),
  }
}
