// Carries out a plan. It notes the previous state and then makes the changes one by one.
import type { Repository } from '../git/find-repository.ts'
import type { RunGit } from '../git/run-git.ts'
import type { Spool } from '../spool/spool.ts'
import { type ChangedFile, digestText, type Manifest, readManifest, saveManifest } from './files/manifest.ts'
import { isChanged, type PlannedChange } from './files/planned-change.ts'
import type { WorkFiles } from './files/work-files.ts'
import { hookCommandLine } from './git-hooks/hook-lines.ts'
import type { InstallPlan } from './plan-install.ts'
import { launcherPath, type ProgramPlace, writeLauncher, writeWindowsLauncher } from './program/launcher.ts'

export type InstallDependencies = {
  readonly repository: Repository
  readonly runGit: RunGit
  readonly files: WorkFiles
  readonly spool: Spool
  readonly program: ProgramPlace
  readonly home: string
  readonly platform: string
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
  for (const change of plan.changes) manifest = applyChange(manifest, change, files, save)
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

/** Returns the manifest with this change. `save` is called with it before anything else is written. */
function applyChange(
  manifest: Manifest,
  change: PlannedChange,
  files: WorkFiles,
  save: (manifest: Manifest) => void,
): Manifest {
  const mode = files.modeOf(change.path)
  const wanted = (mode ?? change.mode) | change.addedMode
  if (!isChanged(change) && mode === wanted) return manifest
  const known = manifest.files.find(({ path }) => path === change.path)
  const noted = noteChange(change, known, mode)
  const others = manifest.files.filter(({ path }) => path !== change.path)
  save({ ...manifest, files: [...others, noted] })
  const made = files.write(change.path, change.after, wanted)
  const done = { ...manifest, files: [...others, { ...noted, folders: [...noted.folders, ...made] }] }
  save(done)
  return done
}

function noteChange(change: PlannedChange, known: ChangedFile | undefined, mode: number | null): ChangedFile {
  const { path, before, after, how } = change
  const fresh = { path, original: before, originalMode: mode, folders: [], written: digestText(after), how }
  if (known === undefined || before === null) return { ...fresh, folders: known?.folders ?? [] }
  // Part of this file is already ours, so the original is the state before our first change.
  const isAsWritten = known.written === digestText(before)
  return { ...known, written: isAsWritten ? fresh.written : null, how: joinKinds(known.how, how) }
}

function joinKinds(known: ChangedFile['how'], how: ChangedFile['how']): ChangedFile['how'] {
  if (known.kind !== 'settings' || how.kind !== 'settings') return how
  return { ...how, added: [...known.added, ...how.added] }
}
