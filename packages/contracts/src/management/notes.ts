// Bodies and replies for notes that organisers and judges write about teams, sessions and entries.
import Type, { type Static } from 'typebox'
import { cursorQuery, nextCursor } from '../console/figures.ts'
import { orNull } from '../or-null.ts'
import { plainText, strict } from './owner-fields.ts'
import { moment, reasonSchema } from './people.ts'
import { teamIdSchema } from './team-bodies.ts'

export const noteSubjects = ['team', 'session', 'entry'] as const
export type NoteSubject = (typeof noteSubjects)[number]

export const longestNote = 4000

const subjectSchema = Type.Enum([...noteSubjects], { description: 'What the note is about' })
const textSchema = Type.String({
  maxLength: longestNote,
  pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$',
  description: `Plain text, at most ${longestNote} characters`,
})
const sessionIdSchema = Type.String({
  minLength: 1,
  maxLength: 512,
  pattern: '^[^\\u0000]*$',
  description: 'Session id, for a note about a session',
})
const seqSchema = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Number of the entry, for a note about an entry',
})

export const newNoteBodySchema = Type.Object(
  {
    subject: subjectSchema,
    team_id: teamIdSchema,
    session_id: orNull(sessionIdSchema),
    seq: orNull(seqSchema),
    text: textSchema,
  },
  strict,
)

export const updateNoteBodySchema = Type.Object(
  { text: textSchema, reason: reasonSchema },
  { ...strict, examples: [{ text: 'Asked: they test by hand.' }] },
)

export const removeNoteQuerySchema = Type.Object({
  reason: Type.Optional(plainText({ description: 'Reason, for the audit log' })),
})

export const defaultNotesPage = 100

export const listNotesQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  subject: Type.Optional(subjectSchema),
  session_id: Type.Optional(sessionIdSchema),
  seq: Type.Optional(seqSchema),
  author: Type.Optional(plainText({ minLength: 1, description: 'Name of an admin key' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: defaultNotesPage, examples: [20] })),
  after: cursorQuery,
})

export const noteSchema = Type.Object({
  note_id: Type.String(),
  subject: subjectSchema,
  team_id: Type.String(),
  session_id: Type.Union([Type.String(), Type.Null()]),
  seq: Type.Union([Type.Integer(), Type.Null()]),
  text: Type.String(),
  author: Type.String({ description: 'Name of the admin key that wrote it' }),
  may_change: Type.Boolean({ description: 'Whether the caller can change and delete it' }),
  created_at: Type.String(),
  updated_at: Type.String({ description: 'When its text was last changed; `created_at` if never' }),
})

export const noteReplySchema = Type.Object({ ...noteSchema.properties, ...moment })

export const noteListSchema = Type.Object({
  items: Type.Array(noteSchema, { description: 'Newest first' }),
  next: nextCursor,
  total: Type.Object({ count: Type.Integer() }),
  ...moment,
})

export type NewNoteBody = Static<typeof newNoteBodySchema>
export type UpdateNoteBody = Static<typeof updateNoteBodySchema>
export type ListNotesQuery = Static<typeof listNotesQuerySchema>
export type Note = Static<typeof noteSchema>
export type NoteReply = Static<typeof noteReplySchema>
export type NoteList = Static<typeof noteListSchema>
