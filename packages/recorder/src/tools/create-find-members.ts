// Finds in transcripts what waiting entries lack. One sending reads each transcript once, within bounds, however many entries need it.

import { textOf } from '../json/members.ts'
import type { FindMembers } from '../spool/completions.ts'
import { findTool } from './find-tool.ts'
import type { EventFields, LateMembers, TranscriptLine } from './tool.ts'
import type { Transcripts } from './transcripts.ts'

/** Only the end of a longer transcript is read. Entries from before that part stay as they are. */
const longestReadBytes = 64 * 1024 * 1024

type Reading = {
  readonly lines: TranscriptLine[]
  /** Everything from its beginning on. */
  readonly isWhole: boolean
  /** The byte at which to continue. */
  next: number
  isAtEnd: boolean
  /** Unix ms. */
  readAt: number
}

export type FindMembersDependencies = {
  readonly transcripts: Transcripts
  /** Unix ms. */
  readonly now: () => number
  /** Called between parts of 8 MiB. */
  readonly isTimeUp: () => boolean
  /** Cuts text that is too long for an entry. */
  readonly cutFields: (fields: EventFields) => EventFields
}

/** For one sending. */
export function createFindMembers(dependencies: FindMembersDependencies): FindMembers {
  const { transcripts, now, isTimeUp, cutFields } = dependencies
  const readings = new Map<string, Reading>()
  const read = (path: string, late: LateMembers, askedAt: number): Reading => {
    const reading = readings.get(path) ?? startReading(transcripts.sizeOf(path))
    readings.set(path, reading)
    // A hook that has run since may have written more.
    if (askedAt >= reading.readAt) reading.isAtEnd = false
    while (!reading.isAtEnd && !isTimeUp()) {
      reading.readAt = now()
      const part = transcripts.readOn(path, reading.next, late.marks)
      for (const line of part.lines) {
        const kept = late.digest(line)
        if (kept !== null) reading.lines.push(kept)
      }
      reading.next = part.next
      reading.isAtEnd = part.isEnd
    }
    return reading
  }
  return ({ tool, transcript, notedAt }, entry) => {
    const { late } = findTool(tool) ?? {}
    const ts = Date.parse(String(entry.ts))
    if (late === undefined || Number.isNaN(ts)) return {}
    const reading = read(transcript, late, notedAt)
    if (!reading.isAtEnd) return 'no time'
    if (!reading.isWhole && timeOf(reading.lines[0]) > ts) return {}
    const waiting = {
      event: String(entry.event),
      ts,
      sessionId: String(entry.session_id),
      summary: textOf(entry, 'response_summary'),
    }
    return cutFields(late.complete(waiting, reading.lines))
  }
}

function startReading(size: number): Reading {
  const next = Math.max(0, size - longestReadBytes)
  return { lines: [], isWhole: next === 0, next, isAtEnd: false, readAt: 0 }
}

function timeOf(line: TranscriptLine | undefined): number {
  const at = line?.timestamp
  return typeof at === 'number' ? at : Date.parse(String(at)) || 0
}
