// Changes that an action of an organiser would make or has made. Dry runs and real actions share this format.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { plainText } from './owner-fields.ts'

/** Body members of every action on budgets, keys, log tokens and spend, and of every other action that affects many or cannot be undone. */
export const actionFields = {
  reason: orNull(plainText({ description: 'Reason, for the audit log' })),
  dry_run: orNull(Type.Boolean({ description: 'true: returns the changes without making them' })),
  preview_id: orNull(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        '`preview_id` of a dry run: the action is refused with 409 `preview_outdated` if its changes now differ. Also confirms the warnings.',
    }),
  ),
}

const state = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const plannedChangeSchema = Type.Object({
  what: Type.String({ description: 'Changed member, such as `phase.until`' }),
  subject: Type.String({ description: 'Changed object: a team_id, the name of a phase, or `event`' }),
  from: state,
  to: state,
  count: Type.Integer({ description: 'Number of objects affected; 1 for a single one' }),
})

export const actionReplySchema = Type.Object({
  applied: Type.Boolean({ description: 'Whether the changes were made' }),
  preview_id: Type.String({ description: 'Identifies these changes; send it with the action' }),
  changes: Type.Array(plannedChangeSchema),
  warnings: Type.Array(Type.String(), {
    description:
      'Changes that are probably unintended. An action with warnings is refused unless it carries the preview_id.',
  }),
  meets: Type.Object(
    {
      teams: Type.Integer({ description: 'Teams that are not blocked' }),
      running_calls: Type.Integer({ description: 'Paid calls running now; they will finish' }),
      open_streams: Type.Integer({ description: 'Running calls that are streamed' }),
    },
    { description: 'Teams and calls affected at this moment' },
  ),
  as_of: Type.String({ description: 'Time of this reply, ISO 8601 in UTC' }),
  version: Type.Integer({ description: "Number of the directory's last change" }),
})

const { applied, preview_id, changes, warnings, as_of, version } = actionReplySchema.properties

/** Reply to a dry run of an action that has its own reply for what it created. */
export const previewReplySchema = Type.Object({ applied, preview_id, changes, warnings, as_of, version })

/** `actionFields` for DELETE actions, which take them in the query. */
export const actionQueryFields = {
  reason: Type.Optional(plainText({ description: 'Reason, for the audit log' })),
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: 'true: returns the changes without making them' }),
  ),
  preview_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        '`preview_id` of a dry run: the action is refused with 409 `preview_outdated` if its changes now differ.',
    }),
  ),
}

export type PlannedChange = Static<typeof plannedChangeSchema>
export type ActionReply = Static<typeof actionReplySchema>
export type PreviewReply = Static<typeof previewReplySchema>
export type ActionBody = {
  readonly reason?: string | null
  readonly dry_run?: boolean | null
  readonly preview_id?: string | null
}
