// Keeps the entries of one repository until the logbook has them. Hooks put them in here.
import { join } from 'node:path'
import type { LogEntry } from '@fairgate/contracts/logbook/log-entry.ts'
import { type JsonObject, parseObject } from '../json/members.ts'
import { type Files, type Flush, hasCode } from './files.ts'
import { type Layout, layOut } from './layout.ts'
import { type RecorderMark, takeCloneId, takeMark } from './numbering.ts'

/** An entry as it is sent: the members of spec 2.10 and the recorder's own. */
export type RecordedEntry = LogEntry & {
  /** Also distinguishes two equal events in the same millisecond. */
  readonly recorder: RecorderMark
  /** Where the entry comes from if not from a hook. */
  readonly recorder_source?: 'transcript' | 'connect'
}

export type SpoolDependencies = {
  readonly files: Files
  readonly now: () => Date
  readonly processId: number
  /** From 0 to below 1. */
  readonly random: () => number
}

export type Spool = {
  readonly layout: Layout
  readonly files: Files
  readonly writeAtomically: WriteAtomically
  /** Begins with the time and is unique. */
  readonly newName: () => string
  /** Returns the entry with its mark and its future name. Only the mark is written. */
  readonly number: (entry: LogEntry, extra?: Pick<RecordedEntry, 'recorder_source'>) => NumberedEntry
  /** The entry is on disk when this returns. Putting the same one again changes nothing. */
  readonly put: (entry: NumberedEntry) => void
}

/** `text` will be sent byte for byte. */
export type NumberedEntry = { readonly name: string; readonly text: string }

/** Throws when the folders cannot be made. */
export function openSpool(folder: string, dependencies: SpoolDependencies): Spool {
  const { files, now, processId, random } = dependencies
  const layout = layOut(folder)
  const namePart = () => `${now().getTime()}-${processId}-${random().toString(36).slice(2, 10)}`
  const { temporary, pending, sequence } = layout
  const folders = [temporary, pending, sequence]
  const writeAtomically = createWriteAtomically(files, layout, namePart)
  const numbering = { files, layout, random, writeAtomically }
  const found = [folder, ...folders].map(files.isOpenToOthers)
  if (found.includes(null)) {
    for (const path of folders) files.makeFolder(path)
    files.createMark(layout.since)
    takeCloneId(numbering)
  }
  // An older recorder created it, or somebody has opened it since.
  if (found.includes(true)) files.closeToOthers(folder)
  return {
    layout,
    files,
    newName: namePart,
    writeAtomically,
    number: (entry, extra = {}) => {
      const numbered: RecordedEntry = { ...entry, ...extra, recorder: takeMark(numbering) }
      return { name: `${namePart()}.json`, text: JSON.stringify(numbered) }
    },
    put: ({ name, text }) => {
      const written = join(temporary, name)
      try {
        files.writeNew(written, text)
        files.rename(written, join(pending, name))
      } catch (thrown) {
        // This process slept so long that a sender moved the file for it.
        if (hasCode(thrown, 'ENOENT') && files.modifiedAt(join(pending, name)) !== null) return
        removeQuietly(files, written)
        throw thrown
      }
    },
  }
}

// Writes a file so that readers see either the old or the new one, never part of it.

type WriteAtomically = (path: string, data: string | Uint8Array, flush?: Flush) => void

type NamePart = () => string

/** `namePart` must differ between calls and processes. */
function createWriteAtomically(files: Files, layout: Layout, namePart: NamePart): WriteAtomically {
  return (path, data, flush) => {
    // The name does not end in .json, so what a crash leaves of it is no entry.
    const temporary = join(layout.temporary, `${namePart()}.part`)
    try {
      files.writeNew(temporary, data, flush)
      files.rename(temporary, path)
    } catch (thrown) {
      removeQuietly(files, temporary)
      throw thrown
    }
  }
}

function removeQuietly(files: Files, path: string): void {
  try {
    files.remove(path)
  } catch {
    // A later sending removes it.
  }
}

/** The text of an entry; null when the file has none, as after a power cut. */
export function parseEntryText(bytes: Uint8Array): { text: string; entry: JsonObject } | null {
  const text = Buffer.from(bytes).toString('utf8')
  const entry = parseObject(text)
  return entry === null ? null : { text, entry }
}

/** The JSON object in a file; null if there is none. */
export function readObject(files: Pick<Files, 'read'>, path: string): JsonObject | null {
  return parseEntryText(files.read(path) ?? new Uint8Array())?.entry ?? null
}
