// Reads what decides where a pre-push hook goes: the version of git, its settings, and the repository's hook managers.
import { isAbsolute, join, resolve } from 'node:path'
import type { Repository } from '../../git/find-repository.ts'
import type { RunGit } from '../../git/run-git.ts'
import type { WorkFiles } from '../files/work-files.ts'

export type GitSetup = {
  readonly root: string
  /** Whether git runs hooks that its configuration names (2.54 and newer). */
  readonly hasConfigHooks: boolean
  /** Where git looks for hook files. */
  readonly hooksFolder: string
  /** The scope in which core.hooksPath is set; null when it is not set. */
  readonly hooksPathScope: string | null
  /** Lefthook's configuration file; null when there is none. */
  readonly lefthookFile: string | null
  /** The existing pre-push hook; null when there is none. `text` is null for a hook that is not text. */
  readonly hook: {
    readonly text: string | null
    readonly isLink: boolean
    readonly isExecutable: boolean
  } | null
}

const lefthookFiles = ['lefthook', '.lefthook', '.config/lefthook'].flatMap(name =>
  ['yml', 'yaml', 'toml', 'json', 'jsonc'].map(ending => `${name}.${ending}`),
)

/** null when git cannot be run. */
export function readGitSetup({ root }: Repository, runGit: RunGit, files: WorkFiles): GitSetup | null {
  const version = /(\d+)\.(\d+)/.exec(runGit(root, ['--version']) ?? '')
  const folder = runGit(root, ['rev-parse', '--git-path', 'hooks'])
  if (version === null || folder === null) return null
  const hooksFolder = isAbsolute(folder) ? folder : resolve(root, folder)
  const scope = runGit(root, ['config', '--show-scope', '--get', 'core.hooksPath'])
  const hookPath = join(hooksFolder, 'pre-push')
  return {
    root,
    hasConfigHooks: Number(version[1]) * 1000 + Number(version[2]) >= 2054,
    hooksFolder,
    hooksPathScope: scope?.split('\t')[0] ?? null,
    lefthookFile: lefthookFiles.map(name => join(root, name)).find(files.exists) ?? null,
    hook:
      files.exists(hookPath) || files.isLink(hookPath)
        ? {
            text: readHook(hookPath, files),
            isLink: files.isLink(hookPath),
            isExecutable: ((files.modeOf(hookPath) ?? 0) & 0o111) !== 0,
          }
        : null,
  }
}

function readHook(path: string, files: WorkFiles): string | null {
  try {
    const text = files.read(path)
    return text?.includes('\0') ? null : text
  } catch {
    return null
  }
}
