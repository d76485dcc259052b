// Finds out whether `git add -A` takes a file, so that nothing of this machine is written into it.
import type { RunGit } from './run-git.ts'

/** `exists`: whether the file is there. One that is not will be listed in `info/exclude`, which a rule of the repository can undo. */
export function mayBeCommitted(root: string, path: string, exists: boolean, runGit: RunGit): boolean {
  if (runGit(root, ['ls-files', '--error-unmatch', '--', path]) !== null) return true
  const rule = runGit(root, ['check-ignore', '--verbose', '--', path])
  return rule === null ? exists : /^[^\t]*:\d+:!/.test(rule)
}
