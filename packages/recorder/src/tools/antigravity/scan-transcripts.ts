// The scan at push. Prompts that no hook carried, because the transcript was written after it ran, become their own entries.
import { putOnce } from '../../spool/claims.ts'
import { createNotes } from '../../spool/notes.ts'
import type { NumberedEntry, Spool } from '../../spool/spool.ts'
import { promptFields } from '../event-fields.ts'
import type { HappenedEvent, TranscriptLine } from '../tool.ts'
import type { Transcripts } from '../transcripts.ts'
import {
  type ConversationNote,
  conversationNotePrefix,
  isAfterInstall,
  readConversationNote,
} from './conversation-note.ts'
import { findPrompts, promptKey, promptMarks } from './find-prompts.ts'

export type ScanDependencies = {
  readonly spool: Spool
  readonly transcripts: Transcripts
  readonly now: number
  /** The next scan continues where this one had to stop. */
  readonly isTimeUp: () => boolean
  /** Finds conversations of this repository that no hook has noted. */
  readonly findUnnoted: (noted: ReadonlySet<string>) => ConversationNote[]
  readonly number: (event: HappenedEvent) => NumberedEntry
}

/** Returns how many entries it added. A second scan adds none. */
export function scanTranscripts(dependencies: ScanDependencies): number {
  const noted = createNotes(dependencies.spool)
    .readAll(conversationNotePrefix)
    .map(readConversationNote)
    .filter(note => note !== null)
  const unnoted = dependencies.findUnnoted(new Set(noted.map(({ conversation }) => conversation)))
  let added = 0
  for (const note of [...noted, ...unnoted]) added += scanConversation(dependencies, note)
  return added
}

function scanConversation(dependencies: ScanDependencies, note: ConversationNote): number {
  const { spool, transcripts, isTimeUp } = dependencies
  const notes = createNotes(spool)
  const placeKey = `antigravity-scanned-${note.conversation}`
  const place = notes.read(placeKey)
  const offset = place?.transcript === note.transcript && typeof place.offset === 'number' ? place.offset : 0
  let added = 0
  for (let from = offset; !isTimeUp(); ) {
    const part = transcripts.readOn(note.transcript, from, promptMarks)
    const result = takePrompts(dependencies, note, part.lines)
    added += result.added
    // The next scan looks at unsettled prompts again.
    if (!result.isSettled) break
    if (part.next !== from) notes.write(placeKey, { transcript: note.transcript, offset: part.next })
    from = part.next
    if (part.isEnd) break
  }
  return added
}

function takePrompts(
  { spool, now, number }: ScanDependencies,
  note: ConversationNote,
  lines: readonly TranscriptLine[],
): { added: number; isSettled: boolean } {
  let added = 0
  let isSettled = true
  for (const prompt of findPrompts(lines)) {
    if (!isAfterInstall(prompt, note)) continue
    const event: HappenedEvent = {
      ts: prompt.createdAt,
      tool: 'antigravity',
      event: 'PreInvocation',
      sessionId: note.conversation,
      fields: promptFields(note.model, prompt.text),
    }
    const outcome = putOnce(spool, promptKey(note.conversation, prompt.step), now, () => number(event))
    if (outcome === 'put') added += 1
    if (outcome === 'unsettled') isSettled = false
  }
  return { added, isSettled }
}
