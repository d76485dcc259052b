// Undoes a noted change: a file unchanged since then gets its text back; from any other, only our part is removed.
import { unsetMembers } from '../jsonc/set-members.ts'
import { startsLauncher } from '../settings/own-hooks.ts'
import { recipes } from '../settings/recipes.ts'
import { removeHooks } from '../settings/remove-hooks.ts'
import { type ChangedFile, digestText, type Refusal } from './changes.ts'
import { type IsOwnLine, listsLine, namesRecorder, removeBlock } from './marked-block.ts'
import { removeOwnedLines } from './owned-lines.ts'
import type { WorkFiles } from './work-files.ts'

/** null if the file should be removed or is already gone. Throws when the file can no longer be read in its format. */
function planRevert(changed: ChangedFile, current: string | null): string | null {
  if (current === null) return null
  if (changed.written === digestText(current)) return changed.original
  const rest = takeOut(changed, current)
  return changed.original === null && isEmptied(changed, rest) ? null : rest
}

/**
 * `other`: what hooks have noted about the same file, when a connection is undone; undefined if nothing. These notes are returned as they
 * would be if our change had never been made, so that whichever came first, the file comes back to the byte. Throws like `planRevert`.
 */
export function revertChange(
  changed: ChangedFile,
  files: WorkFiles,
  other: ChangedFile | undefined,
): ChangedFile | null {
  const current = files.read(changed.path)
  const after = planRevert(changed, current)
  if (other !== undefined && after !== null) {
    const isUntouched = current !== null && other.written === digestText(current)
    files.write(changed.path, after, changed.originalMode ?? files.modeOf(changed.path) ?? 0o600)
    const isBelow = other.original !== null && changed.written === digestText(other.original)
    return {
      ...other,
      original: planRevert(changed, other.original),
      ...(isBelow ? { originalMode: changed.originalMode } : {}),
      folders: [...new Set([...changed.folders, ...other.folders])],
      written: isUntouched ? digestText(after) : other.written === digestText(after) ? other.written : null,
    }
  }
  if (after === null) files.remove(changed.path)
  else files.write(changed.path, after, changed.originalMode ?? files.modeOf(changed.path) ?? 0o644)
  for (const folder of [...changed.folders].reverse()) files.removeEmptyFolder(folder)
  return other ?? null
}

function takeOut({ how, original }: ChangedFile, current: string): string {
  switch (how.kind) {
    case 'block':
      return removeBlock(current, line => namesRecorder(line) || listsOwn(how.own)(line))
    case 'lines':
      return removeOwnedLines(current, listsOwn(how.own))
    case 'members':
      return unsetMembers(current, how, original)
    case 'settings': {
      const { tool, added, launcher } = how
      const isOwn = launcher === undefined ? () => true : startsLauncher(launcher)
      return removeHooks(current, { recipe: recipes[tool], added, original, isOwn })
    }
  }
}

/** Without notes about the lines, all between the marks count as ours. */
function listsOwn(own: readonly string[] | undefined): IsOwnLine {
  return own === undefined ? () => true : listsLine(own)
}

/** Whether nothing useful is left in a file that we created. */
function isEmptied({ how }: ChangedFile, text: string): boolean {
  const isJson = how.kind === 'settings' || how.kind === 'members'
  return (
    (isJson ? text.replace(/^\uFEFF/, '').replace(/^\{\s*\}$/m, '') : text.replace(/^#!.*/, '')).trim() === ''
  )
}

/** What undoing would do to each file, for display. `known`: the texts that some files will have by then. Throws like `planRevert`. */
export function planReverts(
  noted: readonly ChangedFile[],
  files: Pick<WorkFiles, 'read'>,
  known: ReadonlyMap<string, string | null> = new Map(),
) {
  return noted.map(changed => {
    const before = known.get(changed.path) ?? files.read(changed.path)
    return { path: changed.path, before, after: planRevert(changed, before) }
  })
}

/** `refused`: files that could not be restored. Their notes are kept for another try. */
export type Reverted = { readonly restored: string[]; readonly refused: Refusal[] }

/** Undoes them one by one, the last one first. */
export function revertEach(noted: readonly ChangedFile[], revert: (changed: ChangedFile) => void): Reverted {
  const reverted: Reverted = { restored: [], refused: [] }
  for (const changed of [...noted].reverse()) {
    try {
      revert(changed)
      reverted.restored.push(changed.path)
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown)
      reverted.refused.push({ path: changed.path, reason })
    }
  }
  return reverted
}
