// What POST /lookup takes and answers: what anything that a person can paste is, and where it is shown.
import Type, { type Static } from 'typebox'
import { strict } from '../management/owner-fields.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { replyHead } from './figures.ts'

export const lookupBodySchema = Type.Object(
  {
    value: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[^\\u0000]*$',
      description:
        'An id of a team, member, call, log token or model; a part of the name of a team, member or key; the last four characters or the SHA-256 of a key or log token; `team#number` of a log entry. Never a key or token itself.',
    }),
  },
  { ...strict, examples: [{ value: 'team-01' }] },
)

export const lookupKinds = ['team', 'member', 'key', 'log_token', 'model', 'call', 'entry'] as const

export const mostFound = 20

export const lookupReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(
    Type.Object({
      kind: Type.Enum([...lookupKinds]),
      id: Type.String(),
      name: Type.String({ description: 'For people' }),
      team_id: textOrNull('Whose it is; null for a model'),
      url: Type.String({ description: 'Where this door tells more of it' }),
    }),
    { description: `Exact ones first, ${mostFound} at most` },
  ),
  next: Type.Null(),
})

export type LookupReply = Static<typeof lookupReplySchema>
export type LookupItem = LookupReply['items'][number]
