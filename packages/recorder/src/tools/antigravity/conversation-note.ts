// Remembers which conversations belong to this repository, because a transcript does not say so.
import type { Notes } from '../../spool/notes.ts'
import { textOf } from '../payload.ts'

export type Conversation = {
  readonly conversation: string
  readonly transcript: string
  readonly model: string | null
}

export type ConversationNote = Conversation & {
  /** When it was first noticed (Unix ms). */
  readonly notedAt: number
}

export const conversationNotePrefix = 'antigravity-conversation-'

export function noteConversation(notes: Notes, conversation: Conversation, now: number): ConversationNote {
  const key = `${conversationNotePrefix}${conversation.conversation}`
  const known = readConversationNote(notes.read(key))
  const isUnchanged = known?.transcript === conversation.transcript && known.model === conversation.model
  const note = { ...conversation, notedAt: known?.notedAt ?? now }
  if (!isUnchanged) notes.write(key, note)
  return note
}

/** A prompt is written at most this long (ms) before the first hook of its turn. */
const longestBeforeHook = 120_000

/** Prompts from before the recorder knew the conversation do not count. */
export function isAfterInstall(prompt: { readonly createdAt: Date }, note: ConversationNote): boolean {
  return prompt.createdAt.getTime() >= note.notedAt - longestBeforeHook
}

export function readConversationNote(note: Record<string, unknown> | null): ConversationNote | null {
  const conversation = textOf(note ?? {}, 'conversation')
  const transcript = textOf(note ?? {}, 'transcript')
  if (note === null || conversation === null || transcript === null) return null
  const notedAt = typeof note.notedAt === 'number' ? note.notedAt : 0
  return { conversation, transcript, model: textOf(note, 'model'), notedAt }
}
