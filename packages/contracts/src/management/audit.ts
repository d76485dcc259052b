// Append-only log of management changes, as returned by GET /audit.
import Type, { type Static } from 'typebox'
import { teamIdSchema } from './team-bodies.ts'

/** Maximum and default number of rows on an audit page. */
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
  actor: Type.String({ description: 'Who made the change' }),
  action: Type.String({ description: 'Action, such as `team.update`' }),
  team_id: Type.String(),
  target: Type.String({ description: 'team_id, SHA-256 of the key, or token_id' }),
  before: state,
  after: state,
  bulk_id: Type.Optional(
    Type.String({ description: 'The same in all rows of a bulk action; otherwise absent' }),
  ),
  reason: Type.Optional(Type.String({ description: 'Reason, if the organiser gave one' })),
})

export const auditPageSchema = Type.Object({
  items: Type.Array(auditRowSchema, { description: 'Newest first. Never holds a secret.' }),
  next_before_id: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Pass it as `before_id` for the next page; null on the last page',
  }),
})

export type AuditRow = Static<typeof auditRowSchema>
export type AuditPage = Static<typeof auditPageSchema>
