// Whether a push starts the recorder.
import type { Repository } from '../../git/find-repository.ts'
import type { RunGit } from '../../git/run-git.ts'
import { hasBlock } from '../files/marked-block.ts'
import type { WorkFiles } from '../files/work-files.ts'
import { chooseRoute } from '../git-hooks/choose-route.ts'
import { readGitSetup } from '../git-hooks/git-setup.ts'
import { hookCommandLine } from '../git-hooks/hook-lines.ts'
import { configHook } from '../run-install.ts'
import type { Finding } from './finding.ts'

export function inspectGitHook(repository: Repository, runGit: RunGit, files: WorkFiles): Finding {
  const of = (state: Finding['state'], detail: string): Finding => ({ name: 'pre-push', state, detail })
  const setup = readGitSetup(repository, runGit, files)
  if (setup === null) return of('failed', 'git cannot be started')
  const route = chooseRoute(setup)
  const again = 'run "fairgate-recorder init"'
  switch (route.kind) {
    case 'config': {
      const command = runGit(repository.root, ['config', '--get', `${configHook}.command`])
      if (command !== hookCommandLine)
        return of('failed', `the configuration of git has no hook of ours: ${again}`)
      const enabled = runGit(repository.root, ['config', '--get', `${configHook}.enabled`])
      return enabled === 'false'
        ? of('failed', `${configHook}.enabled is false`)
        : of('ok', `${configHook} in git's configuration`)
    }
    case 'manual':
      return of('warning', `${route.reason}: put this line into the hook there: ${hookCommandLine}`)
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
