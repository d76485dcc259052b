// Fills in members that the transcript did not have yet when the hook ran. That is allowed until the entry is first sent, and never after.
//
// A note next to the entry says where to look. It is removed from the disk before the entry is posted for the first time. From then on
// the bytes of the entry cannot change, whatever crashes.
import { join } from 'node:path'
import { type JsonObject, textOf } from '../json/members.ts'
import type { Layout } from './layout.ts'
import { readNameTime } from './pending.ts'
import { readObject, type Spool } from './spool.ts'

export type Completion = {
  readonly tool: string
  readonly transcript: string
}

/**
 * Finds what is missing. Members that are null in the entry and not null here are copied. `notedAt` is when the hook ran (Unix ms).
 * `no time`: nothing was looked up, and the next sender must do it.
 */
export type FindMembers = (
  completion: Completion & { readonly notedAt: number },
  entry: JsonObject,
) => JsonObject | 'no time'

export function noteCompletion(spool: Spool, name: string, completion: Completion): void {
  spool.files.makeFolder(spool.layout.completions)
  spool.writeAtomically(join(spool.layout.completions, name), JSON.stringify(completion))
}

/**
 * Completes waiting entries as far as possible and seals them. Call it before posting. It returns the entries that may be posted; for the
 * others there was no time.
 */
export function completeEntries(
  spool: Spool,
  names: readonly string[],
  findMembers: FindMembers,
  isTimeUp: () => boolean,
): string[] {
  const { files, layout } = spool
  const noted = new Set(files.list(layout.completions))
  return names.filter(name => {
    if (!noted.has(name)) return true
    if (isTimeUp() || !completeEntry(spool, name, findMembers)) return false
    files.remove(join(layout.completions, name))
    return true
  })
}

/** False when there was no time. */
function completeEntry(spool: Spool, name: string, findMembers: FindMembers): boolean {
  const { files, layout } = spool
  const note = readObject(files, join(layout.completions, name))
  const path = join(layout.pending, name)
  const entry = readObject(files, path)
  const [tool, transcript] = [textOf(note, 'tool'), textOf(note, 'transcript')]
  if (entry === null || tool === null || transcript === null) return true
  const found = findMembers({ tool, transcript, notedAt: readNameTime(name) }, entry)
  if (found === 'no time') return false
  const missing = Object.entries(found).filter(([member, value]) => value !== null && entry[member] === null)
  if (missing.length > 0)
    spool.writeAtomically(path, JSON.stringify({ ...entry, ...Object.fromEntries(missing) }))
  return true
}

/** Moves the note of a hook that could not write to the git folder. Call it before moving the entry. */
export function adoptCompletion(spool: Spool, fallback: Layout, name: string): void {
  const path = join(fallback.completions, name)
  const bytes = spool.files.read(path)
  if (bytes === null) return
  spool.files.makeFolder(spool.layout.completions)
  spool.writeAtomically(join(spool.layout.completions, name), bytes)
  spool.files.remove(path)
}
