// Whether the program that the hooks name can be started.
import type { WorkFiles } from '../files/work-files.ts'
import { launcherPath } from '../program/launcher.ts'
import type { Finding } from './finding.ts'

const oldestNode = 18

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
          `${paths[0]} is in a folder that is cleared now and then: install the recorder properly`,
        )
      : of('ok', paths.length < 2 ? launcher : `${launcher} starts ${paths[0]} with ${paths[1]}`),
    {
      name: 'node',
      state: major >= oldestNode ? 'ok' : 'failed',
      detail: `${nodeVersion}; ${oldestNode} or newer is needed`,
    },
  ]
}
