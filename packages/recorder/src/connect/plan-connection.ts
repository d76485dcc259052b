// Plans every change that connects tools to the gateway, without making any.
import { relative, sep } from 'node:path'
import type { ConnectableTool } from '@fairgate/contracts/agents/known-tools.ts'
import type { Repository } from '../git/find-repository.ts'
import type { RunGit } from '../git/run-git.ts'
import { isChanged, type PlannedChange, type Refusal } from '../install/files/changes.ts'
import { planExclude } from '../install/files/plan-exclude.ts'
import type { WorkFiles } from '../install/files/work-files.ts'
import { setMembers } from '../install/jsonc/set-members.ts'
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
  // Files that hold a key or that we create belong to this machine alone.
  const own = changes.map(({ path }) => path).filter(path => isWithin(repository.root, path))
  const names = own.filter(path => !tracked.includes(path)).map(path => relative(repository.root, path))
  const exclude = names.length === 0 ? null : planExclude(dependencies, names, 'fairgate-connection')
  return { tools, exclude, tracked }
}

function planEdit(edit: SettingsEdit, before: string | null): PlannedChange {
  const { path, holdsKey } = edit
  const change = { path, before, mode: holdsKey ? 0o600 : 0o644, isPrivate: holdsKey }
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

export function isWithin(root: string, path: string): boolean {
  return path.startsWith(`${root}${sep}`)
}
