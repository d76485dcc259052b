// Offline checks of an installation: the program, the git hook, and hooks that git would commit.
import { isWithin } from '../connect/plan-connection.ts'
import type { Repository } from '../git/find-repository.ts'
import { mayBeCommitted, type RunGit } from '../git/run-git.ts'
import { hasBlock } from '../install/files/marked-block.ts'
import type { WorkFiles } from '../install/files/work-files.ts'
import { chooseRoute, hookCommandLine, readGitSetup } from '../install/git-hooks/choose-route.ts'
import type { Finding } from '../install/inspect/judge-tool.ts'
import { launcherPath } from '../install/program/launcher.ts'
import { configHook } from '../install/run-install.ts'
import type { OpenRepository } from './open-repository.ts'
import type { ToolSummary } from './summarize-tools.ts'

/** Checks that a push starts the recorder. */
export function inspectGitHook(repository: Repository, runGit: RunGit, files: WorkFiles): Finding {
  const of = (state: Finding['state'], detail: string): Finding => ({ name: 'pre-push', state, detail })
  const setup = readGitSetup(repository, runGit, files)
  if (setup === null) return of('failed', 'git cannot be run')
  const route = chooseRoute(setup)
  const again = 'run "fairgate-recorder init"'
  switch (route.kind) {
    case 'config': {
      const command = runGit(repository.root, ['config', '--get', `${configHook}.command`])
      if (command !== hookCommandLine)
        return of('failed', `the git configuration does not contain our hook: ${again}`)
      const enabled = runGit(repository.root, ['config', '--get', `${configHook}.enabled`])
      return enabled === 'false'
        ? of('failed', `${configHook}.enabled is false`)
        : of('ok', `${configHook} in git's configuration`)
    }
    case 'manual':
      return setup.hook?.text?.includes(hookCommandLine) === true
        ? of('ok', setup.hooksFolder)
        : of('warning', `${route.reason}: put this line into the pre-push hook there: ${hookCommandLine}`)
    case 'chain':
      return of('failed', `${route.path} does not start the recorder: ${again}`)
    default: {
      if (!hasBlock(files.read(route.path) ?? ''))
        return of('failed', `${route.path} does not start the recorder: ${again}`)
      const isProgram = route.kind === 'file' && process.platform !== 'win32'
      if (isProgram && ((files.modeOf(route.path) ?? 0) & 0o111) === 0)
        return of('failed', `${route.path} is not executable: ${again}`)
      if (route.kind === 'lefthook' && setup.hook === null)
        return of('failed', 'lefthook has no pre-push hook yet: run "lefthook install"')
      return of('ok', route.path)
    }
  }
}

const oldestNode = 18

/** Checks that the program named in the hooks can be started. */
export function inspectProgram(
  recorderFolder: string,
  files: WorkFiles,
  platform: string,
  nodeVersion: string,
): Finding[] {
  const launcher = launcherPath(recorderFolder)
  const text = files.read(launcher)
  const of = (state: Finding['state'], detail: string): Finding => ({ name: 'program', state, detail })
  if (text === null) return [of('failed', `${launcher} is missing: run "fairgate-recorder init"`)]
  if (platform !== 'win32' && ((files.modeOf(launcher) ?? 0) & 0o111) === 0)
    return [of('failed', `${launcher} is not executable: run "fairgate-recorder init"`)]
  const pathsOf = (names: string) =>
    [...text.matchAll(new RegExp(`^(?:${names})=(?:'([^']*)'|(\\S+))$`, 'gm'))].map(
      match => match[1] ?? match[2] ?? '',
    )
  const standAlone = pathsOf('program')
  const paths = standAlone.length > 0 ? standAlone : pathsOf('recorder|runtime')
  const gone = paths.filter(path => !files.exists(path))
  if (gone.length > 0)
    return [
      of(
        'warning',
        `${gone.join(' and ')} ${gone.length === 1 ? 'is' : 'are'} gone: run "fairgate-recorder init"`,
      ),
    ]
  if (standAlone.length > 0) return [of('ok', `${launcher} starts the stand-alone program ${paths[0]}`)]
  const isFleeting = paths.some(path => /[/\\](?:_npx|bunx-[^/\\]*)[/\\]/.test(path))
  const major = Number(/^v?(\d+)/.exec(nodeVersion)?.[1] ?? 0)
  return [
    isFleeting
      ? of(
          'warning',
          `${paths[0]} is in a cache folder that can be cleared: install the recorder permanently`,
        )
      : of('ok', paths.length < 2 ? launcher : `${launcher} starts ${paths[0]} with ${paths[1]}`),
    {
      name: 'node',
      state: major >= oldestNode ? 'ok' : 'failed',
      detail: `${nodeVersion}; ${oldestNode} or newer is required`,
    },
  ]
}

/** Hooks that name this machine fail on every other one. */
export function findCommittable(
  summaries: readonly ToolSummary[],
  { repository: { root }, spool }: OpenRepository,
  runGit: RunGit,
  files: WorkFiles,
): Finding[] {
  const launcher = launcherPath(spool.layout.folder)
  return summaries.flatMap(({ tool, installedIn: path }): Finding[] => {
    if (path === null || !isWithin(root, path) || !(files.read(path) ?? '').includes(launcher)) return []
    if (!mayBeCommitted(root, path, true, runGit)) return []
    const detail = `git would commit ${path}, whose hooks name this machine: run "fairgate-recorder init"`
    return [{ name: tool, state: 'warning', detail }]
  })
}
