// Undoes an installation in every work tree of the repository. It does not touch waiting entries.
import type { Repository } from '../git/find-repository.ts'
import type { RunGit } from '../git/run-git.ts'
import type { Spool } from '../spool/spool.ts'
import { type ChangedFile, readManifest, saveManifest } from './files/manifest.ts'
import { planRevert, revertChange } from './files/revert-change.ts'
import type { WorkFiles } from './files/work-files.ts'
import type { Refusal } from './plan-install.ts'
import { launcherPath } from './program/launcher.ts'
import { configHook } from './run-install.ts'

export type UninstallDependencies = {
  readonly repository: Repository
  readonly runGit: RunGit
  readonly files: WorkFiles
  readonly spool: Spool
}

/** What undoing would do to each file, for display. `known`: the texts that some files will have by then. */
export function planUninstall(
  { files, spool }: UninstallDependencies,
  known: ReadonlyMap<string, string | null> = new Map(),
) {
  return readManifest(spool).files.map(changed => {
    const before = known.get(changed.path) ?? files.read(changed.path)
    return { path: changed.path, before, after: planRevert(changed, before) }
  })
}

/** `refused`: files that could not be restored. Their records are kept for another try. */
export function runUninstall(dependencies: UninstallDependencies) {
  const { repository, runGit, files, spool } = dependencies
  let manifest = readManifest(spool)
  const restored: string[] = []
  const refused: Refusal[] = []
  // In reverse order: our hook is removed before the hook that it replaced is put back.
  for (const changed of [...manifest.files].reverse()) {
    try {
      revertChange(changed, files, undefined)
      restored.push(changed.path)
      manifest = { ...manifest, files: without(manifest.files, changed) }
      saveManifest(spool, manifest)
    } catch (thrown) {
      refused.push({ path: changed.path, reason: thrown instanceof Error ? thrown.message : String(thrown) })
    }
  }
  for (const { from, to } of manifest.moved)
    if (files.exists(to) && !files.exists(from)) files.rename(to, from)
  if (manifest.hasConfigHook) runGit(repository.root, ['config', '--local', '--remove-section', configHook])
  saveManifest(spool, { ...manifest, moved: [], hasConfigHook: false })
  const launcher = launcherPath(spool.layout.folder)
  for (const path of [launcher, `${launcher}.cmd`]) files.remove(path)
  return { restored, refused }
}

function without(files: readonly ChangedFile[], gone: ChangedFile): ChangedFile[] {
  return files.filter(({ path }) => path !== gone.path)
}
