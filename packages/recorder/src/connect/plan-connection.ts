// Works out every change that connects tools to the gateway, without making any.
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { ConnectableTool } from '@fairgate/contracts/agents/known-tools.ts'
import type { Repository } from '../git/find-repository.ts'
import type { RunGit } from '../git/run-git.ts'
import { excludePaths } from '../install/files/excluded-paths.ts'
import { isChanged, type PlannedChange } from '../install/files/planned-change.ts'
import type { WorkFiles } from '../install/files/work-files.ts'
import { setMembers } from '../install/jsonc/set-members.ts'
import type { Refusal } from '../install/plan-install.ts'
import { connections } from './connections.ts'
import { editEnv, editToml, listTomlLines } from './edit-lines.ts'
import type { ConnectionPlaces, Gateway, SettingsEdit } from './recipe.ts'

export type PlannedConnection = {
  readonly tool: ConnectableTool
  readonly changes: readonly PlannedChange[]
  /** Files that stay unchanged because they cannot be changed safely. */
  readonly refused: readonly Refusal[]
}

export type ConnectionPlan = {
  readonly tools: readonly PlannedConnection[]
  /** What keeps the new files out of commits; null when nothing has to be done. */
  readonly exclude: PlannedChange | null
  /** Changed files that are under version control. */
  readonly tracked: readonly string[]
}

export type ConnectionDependencies = {
  readonly repository: Repository
  readonly runGit: RunGit
  readonly files: Pick<WorkFiles, 'read'>
  readonly places: ConnectionPlaces
}

/** All files of a tool are changed, or none. */
export function planConnection(
  chosen: readonly ConnectableTool[],
  gateway: Gateway,
  dependencies: ConnectionDependencies,
): ConnectionPlan {
  const { repository, runGit, files, places } = dependencies
  const isTracked = (path: string) =>
    runGit(repository.root, ['ls-files', '--error-unmatch', '--', path]) !== null
  const tools = chosen.map((tool): PlannedConnection => {
    const changes: PlannedChange[] = []
    const refused: Refusal[] = []
    for (const edit of connections[tool].edits(gateway, places)) {
      try {
        if (edit.holdsKey && isWithin(repository.root, edit.path) && isTracked(edit.path))
          throw new Error('it is under version control, and a key must never be committed')
        changes.push(planEdit(edit, files.read(edit.path)))
      } catch (thrown) {
        refused.push({ path: edit.path, reason: thrown instanceof Error ? thrown.message : String(thrown) })
      }
    }
    return { tool, changes: refused.length > 0 ? [] : changes, refused }
  })
  const changes = tools.flatMap(planned => planned.changes)
  const tracked = changes
    .filter(isChanged)
    .map(({ path }) => path)
    .filter(path => isWithin(repository.root, path) && isTracked(path))
  return { tools, exclude: planExclude(changes, tracked, dependencies), tracked }
}

function planEdit(edit: SettingsEdit, before: string | null): PlannedChange {
  const { path, holdsKey } = edit
  const change = { path, before, mode: holdsKey ? 0o600 : 0o644, addedMode: 0, isPrivate: holdsKey }
  switch (edit.format) {
    case 'env':
      return {
        ...change,
        after: editEnv(before, edit),
        how: { kind: 'lines', own: Object.keys(edit.variables) },
      }
    case 'toml':
      return { ...change, after: editToml(before, edit), how: { kind: 'lines', own: listTomlLines(edit) } }
    case 'json': {
      const { text, set, made } = setMembers(before, edit.members, edit.accepts)
      return { ...change, after: text, how: { kind: 'members', set, made } }
    }
  }
}

/** Files that hold a key or that we create belong to this machine alone. */
function planExclude(
  changes: readonly PlannedChange[],
  tracked: readonly string[],
  { repository: { root }, runGit, files }: ConnectionDependencies,
): PlannedChange | null {
  const own = changes.filter(({ path }) => isWithin(root, path) && !tracked.includes(path))
  const found = runGit(root, ['rev-parse', '--git-path', 'info/exclude'])
  if (own.length === 0 || found === null) return null
  const path = isAbsolute(found) ? found : resolve(root, found)
  const before = files.read(path)
  const names = own.map(change => `/${relative(root, change.path).split(sep).join('/')}`)
  const after = excludePaths(before ?? '', names, 'fairgate-connection')
  return { path, before, after, mode: 0o644, addedMode: 0, how: { kind: 'lines', own: names } }
}

export function isWithin(root: string, path: string): boolean {
  return path.startsWith(`${root}${sep}`)
}
