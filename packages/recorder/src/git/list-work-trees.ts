// The work trees of a repository, by reading git's files.
import { dirname, join } from 'node:path'
import type { Repository } from './find-repository.ts'
import type { ReadText } from './read-text.ts'

/** The tops of all work trees, the main one first, including those whose folder is gone. */
export function listWorkTrees(
  { root, gitFolder, commonFolder }: Repository,
  list: (path: string) => string[],
  readText: ReadText,
): string[] {
  const folder = join(commonFolder, 'worktrees')
  const linked = list(folder)
    .sort()
    .flatMap(name => readText(join(folder, name, 'gitdir'))?.trim() || [])
    .map(path => dirname(path))
  // A bare repository has no main work tree, and where `.git` is a file only git itself knows.
  const main = gitFolder === commonFolder ? root : dirname(commonFolder)
  const isMain = gitFolder === commonFolder || readText(join(main, '.git', 'HEAD')) !== null
  return [...new Set([...(isMain ? [main] : []), ...linked, root])]
}
