// Undoes an installation in every work tree of the repository. It does not touch waiting entries.
import type { Repository } from '../git/find-repository.ts'
import type { RunGit } from '../git/run-git.ts'
import type { Spool } from '../spool/spool.ts'
import { tools } from '../tools/find-tool.ts'
import { type ChangedFile, digestText, readManifest, saveManifest } from './files/manifest.ts'
import { removeBlock } from './files/marked-block.ts'
import type { WorkFiles } from './files/work-files.ts'
import type { Refusal } from './plan-install.ts'
import { launcherPath } from './program/launcher.ts'
import { configHook } from './run-install.ts'
import { recipes } from './settings/find-recipe.ts'
import { startsLauncher } from './settings/own-hooks.ts'
import { removeHooks } from './settings/remove-hooks.ts'

export type UninstallDependencies = {
  readonly repository: Repository
  readonly runGit: RunGit
  readonly files: WorkFiles
  readonly spool: Spool
}

/** What undoing would do to each file, for display. */
export function planUninstall({ files, spool }: UninstallDependencies) {
  return readManifest(spool).files.map(changed => {
    const before = files.read(changed.path)
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
      revertChange(changed, files)
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

/** null if the file should be removed or is already gone. */
function planRevert(changed: ChangedFile, current: string | null): string | null {
  if (current === null) return null
  if (changed.written === digestText(current)) return changed.original
  const rest = takeOut(changed, current)
  return changed.original === null && isEmptied(changed, rest) ? null : rest
}

/** Throws when the file can no longer be read in its format. */
function revertChange(changed: ChangedFile, files: WorkFiles): void {
  const current = files.read(changed.path)
  const after = planRevert(changed, current)
  if (after === null) files.remove(changed.path)
  else files.write(changed.path, after, changed.originalMode ?? files.modeOf(changed.path) ?? 0o644)
  for (const folder of [...changed.folders].reverse()) files.removeEmptyFolder(folder)
}

function takeOut({ how, original }: ChangedFile, current: string): string {
  if (how.kind === 'block') return removeBlock(current)
  const { tool, added, launcher } = how
  const isOwn = launcher === undefined ? () => true : startsLauncher(launcher)
  return removeHooks(current, { recipe: recipes[tool], events: tools[tool].events, added, original, isOwn })
}

/** Whether nothing useful is left in a file that we created. */
function isEmptied({ how }: ChangedFile, text: string): boolean {
  return (
    (how.kind === 'settings'
      ? text.replace(/^\uFEFF/, '').replace(/^\{\s*\}$/m, '')
      : text.replace(/^#!.*/, '')
    ).trim() === ''
  )
}
