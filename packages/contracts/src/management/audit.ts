// The append-only record of every management change, as GET /audit returns it.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from './team-bodies.ts'

/** The most rows on an audit page, and the default. */
export const maximumAuditPage = 200
export const defaultAuditPage = 50

export const auditQuerySchema = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maximumAuditPage, default: defaultAuditPage })),
  before_id: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Only rows with a lower id' }),
  ),
  team_id: Type.Optional(teamIdSchema),
})

const state = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])

export const auditRowSchema = Type.Object({
  id: Type.Integer(),
  at: Type.String({ description: 'ISO 8601 in UTC' }),
  actor: Type.String({ description: 'Who' }),
  action: Type.String({ description: 'What, such as `team.update`' }),
  team_id: Type.String(),
  target: Type.String({ description: 'The team_id, the SHA-256 of the key, or the token_id' }),
  before: state,
  after: state,
  bulk_id: Type.Optional(
    Type.String({ description: 'The same for all rows of an act on many teams; absent otherwise' }),
  ),
  reason: Type.Optional(Type.String({ description: 'Why, where the organiser has said so' })),
})

export const auditPageSchema = Type.Object({
  items: Type.Array(auditRowSchema, { description: 'Newest first. Never holds a secret.' }),
  next_before_id: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Pass it as `before_id` for the next page; null on the last page',
  }),
})

export type AuditRow = Static<typeof auditRowSchema>
export type AuditPage = Static<typeof auditPageSchema>
