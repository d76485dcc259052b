// Members that a transcript did not have yet when their hook ran may be filled in until the entry is first sent, and never after.
//
// A note beside the entry says where to look. It is removed, on the disk, before the entry is posted for the first time: from
// then on the bytes of the entry cannot change, whatever crashes.
import { join } from 'node:path'
import { parseEntryText } from './entry-text.ts'
import type { Layout } from './layout.ts'
import { readNameTime } from './pending.ts'
import type { Spool } from './spool.ts'

export type Completion = {
  readonly tool: string
  readonly transcript: string
}

/**
 * Finds what is missing; members that are null in the entry and not here are taken over. `notedAt` is when the hook ran (Unix ms).
 * `no time`: it was not looked for, and is to be looked for by the next sender.
 */
export type FindMembers = (
  completion: Completion & { readonly notedAt: number },
  entry: Record<string, unknown>,
) => Record<string, unknown> | 'no time'

export function noteCompletion(spool: Spool, name: string, completion: Completion): void {
  spool.files.makeFolder(spool.layout.completions)
  spool.writeAtomically(join(spool.layout.completions, name), JSON.stringify(completion))
}

/**
 * Completes waiting entries as far as can be, and seals them. To be called before each is posted; answers which of them may be: for the
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

/** False: there was no time. */
function completeEntry(spool: Spool, name: string, findMembers: FindMembers): boolean {
  const { files, layout } = spool
  const note = parseEntryText(files.read(join(layout.completions, name)) ?? new Uint8Array())?.entry
  const path = join(layout.pending, name)
  const entry = parseEntryText(files.read(path) ?? new Uint8Array())?.entry
  if (entry === undefined || typeof note?.tool !== 'string' || typeof note.transcript !== 'string')
    return true
  const notedAt = readNameTime(name)
  const found = findMembers({ tool: note.tool, transcript: note.transcript, notedAt }, entry)
  if (found === 'no time') return false
  const missing = Object.entries(found).filter(([member, value]) => value !== null && entry[member] === null)
  if (missing.length > 0)
    spool.writeAtomically(path, JSON.stringify({ ...entry, ...Object.fromEntries(missing) }))
  return true
}

/** What a hook that could not write to the git folder noted elsewhere. To be called before its entry is moved. */
export function adoptCompletion(spool: Spool, fallback: Layout, name: string): void {
  const path = join(fallback.completions, name)
  const bytes = spool.files.read(path)
  if (bytes === null) return
  spool.files.makeFolder(spool.layout.completions)
  spool.writeAtomically(join(spool.layout.completions, name), bytes)
  spool.files.remove(path)
}
