// Keeps the entries that the logbook acknowledged, so that `verify` can prove that they are there and send missing ones again.

import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { JsonObject } from '../json/members.ts'
import type { Files } from './files.ts'
import type { Layout } from './layout.ts'
import { type NumberedEntry, parseEntryText, type Spool } from './spool.ts'

export type ArchivedEntry = NumberedEntry & {
  readonly entry: JsonObject
  /** The team for which the entry was acknowledged; null if the logbook did not say. */
  readonly teamId: string | null
}

const teamMark = '@'

/**
 * Archives a batch, then removes its files from the waiting ones. After a crash between the two steps the batch is sent again,
 * which both the logbook and `readArchive` notice.
 */
export function archiveBatch(spool: Spool, batch: readonly NumberedEntry[], teamId: string | null): void {
  if (batch.length === 0) return
  const { files, layout } = spool
  files.makeFolder(layout.sent)
  const lines = batch.map(({ name, text }) => `${name}\t${text}\n`).join('')
  const name = `${spool.newName()}${teamId === null ? '' : `${teamMark}${teamId}`}.gz`
  spool.writeAtomically(join(layout.sent, name), gzipSync(lines))
  for (const { name } of batch) files.remove(join(layout.pending, name))
}

/** Each entry once, in the order of sending. Unreadable files are skipped. */
export function readArchive({ files, layout }: { files: Files; layout: Layout }): ArchivedEntry[] {
  const entries = new Map<string, ArchivedEntry>()
  for (const file of files.list(layout.sent).sort()) {
    const teamId = readTeam(file)
    for (const line of readLines(files.read(join(layout.sent, file)))) {
      const tab = line.indexOf('\t')
      const parsed = parseEntryText(Buffer.from(line.slice(tab + 1)))
      const name = line.slice(0, tab)
      if (parsed !== null) entries.set(name, { name, teamId, ...parsed })
    }
  }
  return [...entries.values()]
}

/** The team is part of the file name. Older recorders can still read such files. */
function readTeam(file: string): string | null {
  const mark = file.indexOf(teamMark)
  return mark < 0 ? null : file.slice(mark + teamMark.length, -'.gz'.length)
}

function readLines(bytes: Uint8Array | null): string[] {
  if (bytes === null) return []
  try {
    return gunzipSync(bytes).toString('utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}
