// Reads everything that was recorded here and is still on this machine: waiting, acknowledged, refused.
import type { JsonObject } from '../json/members.ts'
import { type ArchivedEntry, readArchive } from '../spool/archive.ts'
import { layOut } from '../spool/layout.ts'
import { listPending, readPending } from '../spool/pending.ts'
import { listRejected, type RejectedEntry } from '../spool/rejected.ts'
import { parseEntryText, type Spool } from '../spool/spool.ts'
import type { OpenRepository } from './open-repository.ts'

export type WaitingEntry = {
  readonly name: string
  readonly text: string
  readonly entry: JsonObject
}

export type Records = {
  readonly pending: readonly WaitingEntry[]
  readonly archived: readonly ArchivedEntry[]
  readonly rejected: readonly RejectedEntry[]
  /** All of them. */
  readonly entries: readonly JsonObject[]
}

export function readRecords({ spool, fallbackFolder }: OpenRepository): Records {
  const pending = [...readWaiting(spool), ...readWaiting({ ...spool, layout: layOut(fallbackFolder) })]
  const archived = readArchive(spool)
  const rejected = listRejected(spool)
  return {
    pending,
    archived,
    rejected,
    entries: [...pending, ...archived, ...rejected].map(({ entry }) => entry),
  }
}

function readWaiting(spool: Pick<Spool, 'files' | 'layout'>): WaitingEntry[] {
  return listPending(spool).flatMap(name => {
    const bytes = readPending(spool, name)
    const parsed = bytes === null ? null : parseEntryText(bytes)
    return parsed === null ? [] : [{ name, ...parsed }]
  })
}
