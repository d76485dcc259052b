// What POST /team/{team_id}/uncharged/clear takes and answers, and how organisers see what calls used above their holds.
import Type, { type Static } from 'typebox'
import { plainText, strict } from './owner-fields.ts'
import { actFields, actReplySchema } from './planned-act.ts'

const { dry_run, preview_id } = actFields
const { as_of, version } = actReplySchema.properties

export const unchargedSchema = Type.Object({
  model: Type.String({ description: 'As asked' }),
  endpoint: Type.String({ description: 'As charges name it' }),
  medium: Type.Enum(['text', 'image', 'audio', 'document', 'counted'], {
    description: 'What the hold was worked out from; `counted`: the upstream had counted the input',
  }),
  uncharged_nano: Type.Integer({
    description: 'Reported by the provider above the holds and charged to no team, over all time',
  }),
  open_nano: Type.Integer({ description: 'Of it, since an organiser has cleared the sum last' }),
  hold_ratio: Type.Number({
    description:
      'Later calls of this kind are held for so many times their estimate, at most for the whole context',
  }),
})

export const clearUnchargedBodySchema = Type.Object(
  {
    reason: plainText({ minLength: 1, description: 'Why; stands in the audit' }),
    dry_run,
    preview_id,
  },
  { ...strict, examples: [{ reason: 'the files were damaged, not forged' }] },
)

export const clearUnchargedReplySchema = Type.Object({
  team_id: Type.String(),
  cleared: Type.Integer({ description: 'Kinds of calls that are held by their estimate again' }),
  as_of,
  version,
})

export type UnchargedRecord = Static<typeof unchargedSchema>
export type ClearUnchargedBody = Static<typeof clearUnchargedBodySchema>
export type ClearUnchargedReply = Static<typeof clearUnchargedReplySchema>
