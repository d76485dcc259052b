// Body and reply of POST /lookup: identifies any pasted id or name and links to its page.
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
        'Id of a team, member, call, log token or model; part of the name of a team, member or key; the last four characters or the SHA-256 of a key or log token; `team#number` of a log entry. Never a key or token itself.',
    }),
  },
  { ...strict, examples: [{ value: 'team-01' }] },
)

export const lookupKinds = ['team', 'member', 'key', 'log_token', 'model', 'call', 'entry'] as const

export const maxFound = 20

export const lookupReplySchema = Type.Object({
  ...replyHead,
  items: Type.Array(
    Type.Object({
      kind: Type.Enum([...lookupKinds]),
      id: Type.String(),
      name: Type.String({ description: 'Display name' }),
      team_id: textOrNull('Team that owns it; null for a model'),
      url: Type.String({ description: 'Path on this door with more details' }),
    }),
    { description: `Exact matches first; at most ${maxFound}` },
  ),
  next: Type.Null(),
})

export type LookupReply = Static<typeof lookupReplySchema>
export type LookupItem = LookupReply['items'][number]
