// Body and reply of POST /team/{team_id}/uncharged/clear, and the record of usage above the holds of calls.
import Type, { type Static } from 'typebox'
import { plainText, strict } from './owner-fields.ts'
import { actionFields, actionReplySchema } from './planned-action.ts'

const { dry_run, preview_id } = actionFields
const { as_of, version } = actionReplySchema.properties

export const unchargedSchema = Type.Object({
  model: Type.String({ description: 'Requested model' }),
  endpoint: Type.String({ description: 'Endpoint as named in charges' }),
  medium: Type.Enum(['text', 'image', 'audio', 'document', 'counted'], {
    description: 'What the hold was calculated from; `counted`: the upstream counted the input',
  }),
  uncharged_nano: Type.Integer({
    description: 'Reported by the provider above the holds and not charged to any team, over all time',
  }),
  open_nano: Type.Integer({ description: 'Part of it since an organiser last cleared the sum' }),
  hold_ratio: Type.Number({
    description:
      'Factor by which holds of later calls of this kind exceed their estimate, at most up to the whole context',
  }),
})

export const clearUnchargedBodySchema = Type.Object(
  {
    reason: plainText({ minLength: 1, description: 'Reason, recorded in the audit log' }),
    dry_run,
    preview_id,
  },
  { ...strict, examples: [{ reason: 'the files were damaged, not forged' }] },
)

export const clearUnchargedReplySchema = Type.Object({
  team_id: Type.String(),
  cleared: Type.Integer({ description: 'Kinds of calls that are held at their estimate again' }),
  as_of,
  version,
})

export type UnchargedRecord = Static<typeof unchargedSchema>
export type ClearUnchargedBody = Static<typeof clearUnchargedBodySchema>
export type ClearUnchargedReply = Static<typeof clearUnchargedReplySchema>
