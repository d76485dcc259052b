// Plans everything that an installation would do, without doing any of it.
import { isAbsolute, join, relative } from 'node:path'
import type { Repository } from '../git/find-repository.ts'
import { mayBeCommitted, type RunGit } from '../git/run-git.ts'
import { tools } from '../tools/find-tool.ts'
import type { ToolName } from '../tools/tool.ts'
import { isChanged, type PlannedChange, type Refusal } from './files/changes.ts'
import { insertBlock, writeBlock } from './files/marked-block.ts'
import { planExclude } from './files/plan-exclude.ts'
import type { WorkFiles } from './files/work-files.ts'
import { chooseRoute, type HookRoute, hookLines, hookNote, readGitSetup } from './git-hooks/choose-route.ts'
import { UnclearYaml, writeLefthook } from './git-hooks/plan-lefthook.ts'
import { buildHookCommand, quoteForShell } from './program/hook-command.ts'
import { mergeHooks } from './settings/merge-hooks.ts'
import { listBegun, startsLauncher } from './settings/own-hooks.ts'
import { recipes } from './settings/recipes.ts'

export type InstallPlan = {
  readonly changes: readonly PlannedChange[]
  /** Files that stay unchanged because they cannot be changed safely. */
  readonly refused: readonly Refusal[]
  readonly route: HookRoute
  /** Changed files that are under version control. */
  readonly tracked: readonly string[]
  /** Tools whose sessions in subfolders are recorded too, by hooks in the user's settings. */
  readonly userWide: readonly ToolName[]
}

export type PlanDependencies = {
  readonly repository: Repository
  readonly runGit: RunGit
  readonly files: WorkFiles
  readonly launcher: string
  readonly platform: string
  readonly home: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether hooks also go into the user's settings, for sessions that start in a subfolder. */
  readonly withSubfolders: boolean
}

export function planInstall(chosen: readonly ToolName[], dependencies: PlanDependencies): InstallPlan {
  const { repository, runGit, files } = dependencies
  const { root } = repository
  const setup = readGitSetup(repository, runGit, files)
  const route: HookRoute =
    setup === null ? { kind: 'manual', reason: 'git cannot be run' } : chooseRoute(setup)
  const isTracked = (path: string) => runGit(root, ['ls-files', '--error-unmatch', '--', path]) !== null
  const changes: PlannedChange[] = []
  const refused: Refusal[] = []
  const attempt = (path: string, plan: () => PlannedChange | null) => {
    try {
      changes.push(...[plan()].filter(change => change !== null))
    } catch (thrown) {
      refused.push({ path, reason: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  }
  for (const tool of chosen) {
    const path = join(root, ...recipes[tool].file)
    const isShared = mayBeCommitted(root, path, files.exists(path), runGit)
    attempt(path, () => planSettings(tool, path, isShared, false, dependencies))
    const userPath = findUserSettings(tool, dependencies)
    if (userPath !== null) attempt(userPath, () => planSettings(tool, userPath, isShared, true, dependencies))
  }
  if (route.kind === 'file' || route.kind === 'chain' || route.kind === 'lefthook')
    attempt(route.path, () => planHook(route, files))
  const tracked = changes
    .filter(isChanged)
    .map(({ path }) => path)
    .filter(isTracked)
  const created = changes.filter(({ before }) => before === null).map(change => relative(root, change.path))
  const inTree = created.filter(name => !/^(?:\.\.|\.git)(?:[/\\]|$)/.test(name) && !isAbsolute(name))
  attempt('info/exclude', () => planExclude(dependencies, inTree, 'fairgate-recorder'))
  const userWide = chosen.filter(tool => findUserSettings(tool, dependencies) !== null)
  return { changes, refused, route, tracked, userWide }
}

/** The user's settings get exactly the commands of the project's file, because the tool runs a command that is in both only once. */
function planSettings(
  tool: ToolName,
  path: string,
  isShared: boolean,
  isUsers: boolean,
  { files, launcher, platform }: PlanDependencies,
): PlannedChange {
  const before = files.read(path)
  const commandOf = (event: string) => buildHookCommand(tool, event, { launcher, platform, isShared })
  const isOwn = isUsers ? startsLauncher(launcher) : undefined
  const { text, added } = mergeHooks(before, recipes[tool], commandOf, isOwn)
  // Members that our hooks of other repositories created are removed with the last of these hooks.
  const begun = isUsers ? listBegun(before, recipes[tool]) : []
  const how = {
    kind: 'settings',
    tool,
    added: [...begun, ...added],
    ...(isUsers ? { launcher } : {}),
  } as const
  return { path, before, after: text, mode: isUsers ? 0o600 : 0o644, how }
}

/** null if the user has not asked for it. If this repository already has hooks there, they are kept up to date. */
function findUserSettings(tool: ToolName, dependencies: PlanDependencies): string | null {
  const { files, launcher, platform, home, environment, withSubfolders } = dependencies
  const path = tools[tool].userSettings?.(home, environment) ?? null
  if (path === null || platform === 'win32') return null
  return withSubfolders || (files.read(path) ?? '').includes(launcher) ? path : null
}

function planHook(route: Extract<HookRoute, { path: string }>, files: WorkFiles): PlannedChange {
  const how = { kind: 'block', own: [] } as const
  if (route.kind === 'chain')
    return { path: route.path, before: null, after: writeChainFile(route.movedTo), mode: 0o755, how }
  const before = files.read(route.path)
  if (route.kind === 'file')
    return { path: route.path, before, after: writeHookFile(before), mode: 0o755, addedMode: 0o111, how }
  try {
    return { path: route.path, before, after: writeLefthook(before), mode: 0o644, how }
  } catch (thrown) {
    if (thrown instanceof UnclearYaml) throw new Error(`its layout is not understood (${thrown.message})`)
    throw thrown
  }
}

// Writes our lines into a hook file, at the top so that no `exit` comes before them.

const block = writeBlock(hookNote, hookLines)

/** `text` is null when there is no file. */
export function writeHookFile(text: string | null): string {
  if (text === null || text === '') return `${['#!/bin/sh', ...block].join('\n')}\n`
  return insertBlock(text, block, text.startsWith('#!') ? 1 : 0)
}

/** A hook that starts the recorder and then the moved hook, with the same input and arguments. It starts that one only if git would have. */
function writeChainFile(movedTo: string): string {
  const other = quoteForShell(movedTo.replaceAll('\\', '/'))
  return `${['#!/bin/sh', ...block, `[ -x ${other} ] || exit 0`, `exec ${other} "$@"`].join('\n')}\n`
}
