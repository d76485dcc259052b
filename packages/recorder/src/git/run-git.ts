// Asks git itself when its files are not enough. It is loaded only then, because starting a process is expensive.
import { execFileSync } from 'node:child_process'

export type RunGit = (folder: string, gitArguments: readonly string[]) => string | null

/** The first line that git prints; null when git fails, is missing or takes longer than `longestMs`. */
export function createRunGit(longestMs: number): RunGit {
  return (folder, gitArguments) => {
    try {
      const output = execFileSync('git', [...gitArguments], {
        cwd: folder,
        env: withoutLocalGitVariables(process.env),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: longestMs,
        windowsHide: true,
      })
      return output.split(/\r?\n/)[0] ?? ''
    } catch {
      return null
    }
  }
}

/** The variables that `git rev-parse --local-env-vars` lists. A git hook passes them on, and they would name another repository. */
const localVariables =
  /^GIT_(ALTERNATE_OBJECT_DIRECTORIES|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|OBJECT_DIRECTORY|DIR|WORK_TREE|IMPLICIT_WORK_TREE|GRAFT_FILE|INDEX_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|PREFIX|SHALLOW_FILE|COMMON_DIR|INTERNAL_SUPER_PREFIX)$/

export function withoutLocalGitVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !localVariables.test(name)))
}

// Finds out whether `git add -A` takes a file, so that nothing of this machine is written into it.

/** `exists`: whether the file is there. One that is not will be listed in `info/exclude`, which a rule of the repository can undo. */
export function mayBeCommitted(root: string, path: string, exists: boolean, runGit: RunGit): boolean {
  if (runGit(root, ['ls-files', '--error-unmatch', '--', path]) !== null) return true
  const rule = runGit(root, ['check-ignore', '--verbose', '--', path])
  return rule === null ? exists : /^[^\t]*:\d+:!/.test(rule)
}
