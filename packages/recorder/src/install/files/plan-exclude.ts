// Plans our block in git's list of ignored files, `info/exclude`, for paths that belong to this machine.
import { isAbsolute, resolve, sep } from 'node:path'
import type { Repository } from '../../git/find-repository.ts'
import type { RunGit } from '../../git/run-git.ts'
import type { PlannedChange } from './changes.ts'
import { findBlock, insertBlock, listsLine, type Mark, writeBlock } from './marked-block.ts'
import type { WorkFiles } from './work-files.ts'

const notes: Readonly<Record<Mark, string>> = {
  'fairgate-recorder': 'hooks that belong to this machine. "fairgate-recorder uninstall" removes it.',
  'fairgate-connection': 'settings that hold a gateway key. "fairgate-recorder disconnect" removes it.',
}

type ExcludeDependencies = {
  readonly repository: Repository
  readonly runGit: RunGit
  readonly files: Pick<WorkFiles, 'read'>
}

/** `names`: relative to the top of the work tree. Those that the block already has, perhaps of another work tree, stay. null if git does not say where the list is. */
export function planExclude(
  { repository: { root }, runGit, files }: ExcludeDependencies,
  names: readonly string[],
  mark: Mark,
): PlannedChange | null {
  const found = runGit(root, ['rev-parse', '--git-path', 'info/exclude'])
  if (found === null) return null
  const path = isAbsolute(found) ? found : resolve(root, found)
  const before = files.read(path)
  const own = names.map(name => `/${name.split(sep).join('/')}`)
  const listed = findBlock(before ?? '', () => false, mark)?.others.split(/\r?\n/) ?? []
  const all = [...new Set([...listed.filter(line => line.startsWith('/')), ...own])].sort()
  const block = writeBlock(notes[mark], all, '', mark)
  const after =
    all.length === 0 ? (before ?? '') : insertBlock(before ?? '', block, Infinity, listsLine(all), mark)
  const kind = mark === 'fairgate-recorder' ? 'block' : 'lines'
  return { path, before: after === '' ? '' : before, after, mode: 0o644, how: { kind, own } }
}
