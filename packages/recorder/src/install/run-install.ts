// Carries out a plan: notes the previous state, then makes the changes one by one. And undoes them all.
import type { Spool } from '../spool/spool.ts'
import { applyChange, type Manifest, readManifest, saveManifest } from './files/changes.ts'
import { type Reverted, revertChange, revertEach } from './files/revert-change.ts'
import { hookCommandLine } from './git-hooks/choose-route.ts'
import type { InstallPlan, PlanDependencies } from './plan-install.ts'
import { launcherPath, type ProgramPlace, writeLauncher, writeWindowsLauncher } from './program/launcher.ts'

type InstallDependencies = Pick<PlanDependencies, 'repository' | 'runGit' | 'files' | 'home' | 'platform'> & {
  readonly spool: Spool
  readonly program: ProgramPlace
}

/** The launcher is in a folder that only its owner may enter. */
const launcherMode = 0o700

export const configHook = 'hook.fairgate-recorder'

/** Throws when a file cannot be written. `uninstall` undoes the changes made before that. */
export function runInstall(plan: InstallPlan, dependencies: InstallDependencies): void {
  const { files, spool } = dependencies
  const save = (manifest: Manifest) => saveManifest(spool, manifest)
  putLaunchers(dependencies)
  let manifest = readManifest(spool)
  const { route } = plan
  if (route.kind === 'chain' && plan.changes.some(({ path }) => path === route.path)) {
    manifest = { ...manifest, moved: [...manifest.moved, { from: route.path, to: route.movedTo }] }
    save(manifest)
    files.rename(route.path, route.movedTo)
  }
  for (const change of plan.changes) {
    const { moved, hasConfigHook } = manifest
    const noted = applyChange(manifest.files, change, files, noted =>
      save({ files: noted, moved, hasConfigHook }),
    )
    manifest = { ...manifest, files: noted }
  }
  if (route.kind === 'config') setConfigHook(manifest, save, dependencies)
}

function putLaunchers({ files, spool, program, home, platform }: InstallDependencies): void {
  const path = launcherPath(spool.layout.folder)
  const launchers: [string, string][] = [[path, writeLauncher(program, home)]]
  if (platform === 'win32') launchers.push([`${path}.cmd`, writeWindowsLauncher(program)])
  for (const [place, text] of launchers) {
    if (files.read(place) !== text || files.modeOf(place) !== launcherMode)
      files.write(place, text, launcherMode)
  }
}

function setConfigHook(
  manifest: Manifest,
  save: (manifest: Manifest) => void,
  { repository: { root }, runGit }: InstallDependencies,
): void {
  if (runGit(root, ['config', '--local', '--get', `${configHook}.command`]) === hookCommandLine) return
  save({ ...manifest, hasConfigHook: true })
  const isSet = [
    ['event', 'pre-push'],
    ['command', hookCommandLine],
  ].every(([key, value]) => runGit(root, ['config', '--local', `${configHook}.${key}`, value ?? '']) !== null)
  if (!isSet) throw new Error('git could not write its configuration')
}

/** Undoes an installation in every work tree of the repository. It does not touch waiting entries. */
export function runUninstall({
  repository,
  runGit,
  files,
  spool,
}: Pick<InstallDependencies, 'repository' | 'runGit' | 'files' | 'spool'>): Reverted {
  let manifest = readManifest(spool)
  // In reverse order: our hook is removed before the hook that it replaced is put back.
  const reverted = revertEach(manifest.files, changed => {
    revertChange(changed, files, undefined)
    manifest = { ...manifest, files: manifest.files.filter(({ path }) => path !== changed.path) }
    saveManifest(spool, manifest)
  })
  for (const { from, to } of manifest.moved)
    if (files.exists(to) && !files.exists(from)) files.rename(to, from)
  if (manifest.hasConfigHook) runGit(repository.root, ['config', '--local', '--remove-section', configHook])
  saveManifest(spool, { ...manifest, moved: [], hasConfigHook: false })
  const launcher = launcherPath(spool.layout.folder)
  for (const path of [launcher, `${launcher}.cmd`]) files.remove(path)
  return reverted
}
