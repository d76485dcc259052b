// Undoes one change: to the byte if nobody has changed the file since, or else by removing only our part.
import { tools } from '../../tools/find-tool.ts'
import { recipes } from '../settings/find-recipe.ts'
import { startsLauncher } from '../settings/own-hooks.ts'
import { removeHooks } from '../settings/remove-hooks.ts'
import { type ChangedFile, digestText } from './manifest.ts'
import { removeBlock } from './marked-block.ts'
import type { WorkFiles } from './work-files.ts'

/** null if the file should be removed or is already gone. */
export function planRevert(changed: ChangedFile, current: string | null): string | null {
  if (current === null) return null
  if (changed.written === digestText(current)) return changed.original
  const rest = takeOut(changed, current)
  return changed.original === null && isEmptied(changed, rest) ? null : rest
}

/** Throws when the file can no longer be read in its format. */
export function revertChange(changed: ChangedFile, files: WorkFiles): void {
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
