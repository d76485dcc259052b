// Continues reading transcripts for events that no hook reported, and records each once. A scan continues where the last one ended.

import { buildEntry } from '../entry/build-entry.ts'
import type { RepositoryFacts } from '../git/read-facts.ts'
import { objectOf } from '../json/members.ts'
import { forgetClaims, isClaimed, putOnce } from '../spool/claims.ts'
import { createNotes } from '../spool/notes.ts'
import type { Spool } from '../spool/spool.ts'
import { findTool } from '../tools/find-tool.ts'
import { readSessionNotes, type SessionNote } from '../tools/session-notes.ts'
import { callKeyPrefix, type FoundEvent } from '../tools/tool.ts'
import type { Transcripts } from '../tools/transcripts.ts'

export type ScanDependencies = {
  readonly spool: Spool
  readonly transcripts: Transcripts
  /** Unix ms. */
  readonly now: number
  /** The next scan continues where this one had to stop. */
  readonly isTimeUp: () => boolean
  /** The facts of the repository that an event belongs to, by the folder that it names; null when it is another one. */
  readonly findFacts: (note: SessionNote, folder: string | null) => Promise<RepositoryFacts | null>
}

/** After a scan has read a call, only a hook that is still running asks for its claim. */
const longestLateMs = 60 * 60 * 1000

/** `findUnnoted` finds transcripts of this repository that no hook has noted. A second scan adds nothing. */
export async function scanTranscripts(
  dependencies: ScanDependencies,
  findUnnoted: (noted: readonly SessionNote[]) => SessionNote[],
): Promise<void> {
  const { spool, now } = dependencies
  const noted = readSessionNotes(createNotes(spool))
  let isComplete = true
  for (const note of [...noted, ...findUnnoted(noted)])
    isComplete = (await scanTranscript(dependencies, note)) && isComplete
  if (isComplete) forgetClaims(spool, callKeyPrefix, longestLateMs, now)
}

/** `onlyBytes`: no more than so many are read; otherwise all. Returns whether the transcript was read to its end. */
export async function scanTranscript(
  dependencies: ScanDependencies,
  note: SessionNote,
  onlyBytes?: number,
): Promise<boolean> {
  const { unreported } = findTool(note.tool) ?? {}
  if (unreported === undefined) return true
  const { spool, transcripts, isTimeUp } = dependencies
  const notes = createNotes(spool)
  const placeKey = `scanned-${note.transcript}`
  const place = notes.read(placeKey)
  let from = typeof place?.offset === 'number' ? place.offset : note.from
  let state: object = objectOf(place ?? {}, 'state')
  while (!isTimeUp()) {
    const part = transcripts.readOn(note.transcript, from, unreported.marks, onlyBytes)
    const found = unreported.find(part.lines, note, { ...state })
    // The next scan looks at unsettled events again.
    if (!(await recordEvents(dependencies, note, found.events))) return false
    state = found.state
    if (part.next !== from) notes.write(placeKey, { offset: part.next, state })
    if (part.isEnd) return true
    // Also when the file became shorter under the reader.
    if (onlyBytes !== undefined || part.next === from) return false
    from = part.next
  }
  return false
}

/** False while another process is working on one of them. */
async function recordEvents(
  { spool, now, findFacts }: ScanDependencies,
  note: SessionNote,
  events: readonly FoundEvent[],
): Promise<boolean> {
  let isSettled = true
  for (const { key, unlessClaimed, folder, ...event } of events) {
    if (event.ts.getTime() < note.notedAt) continue
    if (unlessClaimed !== undefined && isClaimed(spool, unlessClaimed)) continue
    const facts = await findFacts(note, folder)
    if (facts === null) continue
    const { sessionId } = note
    const { kind } = putOnce(spool, { key, by: 'transcript' }, now, () =>
      spool.number(buildEntry({ ...event, sessionId }, facts), { recorder_source: 'transcript' }),
    )
    if (kind === 'unsettled') isSettled = false
  }
  return isSettled
}
