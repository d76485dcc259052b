// Members that a transcript did not have yet when their hook ran may be filled in until the entry is first sent, and never after.
//
// A note beside the entry says where to look. It is removed, on the disk, before the entry is posted for the first time: from
// then on the bytes of the entry cannot change, whatever crashes.
import { join } from 'node:path'
import { parseEntryText } from './entry-text.ts'
import type { Spool } from './spool.ts'

export type Completion = { readonly tool: string; readonly transcript: string }

/** Finds what is missing; members that are null in the entry and not here are taken over. */
export type FindMembers = (completion: Completion, entry: Record<string, unknown>) => Record<string, unknown>

export function noteCompletion(spool: Spool, name: string, completion: Completion): void {
  spool.files.makeFolder(spool.layout.completions)
  spool.writeAtomically(join(spool.layout.completions, name), JSON.stringify(completion))
}

/** Completes waiting entries as far as can be, and seals them. To be called before each is posted. */
export function completeEntries(spool: Spool, names: readonly string[], findMembers: FindMembers): void {
  const { files, layout } = spool
  const noted = new Set(files.list(layout.completions))
  for (const name of names) {
    if (!noted.has(name)) continue
    completeEntry(spool, name, findMembers)
    files.remove(join(layout.completions, name))
  }
}

function completeEntry(spool: Spool, name: string, findMembers: FindMembers): void {
  const { files, layout } = spool
  const note = parseEntryText(files.read(join(layout.completions, name)) ?? new Uint8Array())?.entry
  const path = join(layout.pending, name)
  const entry = parseEntryText(files.read(path) ?? new Uint8Array())?.entry
  if (entry === undefined || typeof note?.tool !== 'string' || typeof note.transcript !== 'string') return
  const found = findMembers({ tool: note.tool, transcript: note.transcript }, entry)
  const missing = Object.entries(found).filter(([member, value]) => value !== null && entry[member] === null)
  if (missing.length > 0)
    spool.writeAtomically(path, JSON.stringify({ ...entry, ...Object.fromEntries(missing) }))
}
