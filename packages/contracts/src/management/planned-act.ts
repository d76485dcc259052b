// What an organiser's act would change, or has changed: the same shape for a dry run and for the act itself.
import Type, { type Static } from 'typebox'
import { orNull } from '../or-null.ts'
import { plainText } from './owner-fields.ts'

/** Members of the body of every act on budgets, keys, log tokens and what was spent, and of every other that reaches many or cannot be undone. */
export const actFields = {
  reason: orNull(plainText({ description: 'Why, for the audit' })),
  dry_run: orNull(Type.Boolean({ description: 'true: says what would change, and changes nothing' })),
  preview_id: orNull(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Of a dry run: the act is refused with 409 `preview_outdated` if it would now change something else. It also confirms the warnings.',
    }),
  ),
}

const state = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const plannedChangeSchema = Type.Object({
  what: Type.String({ description: 'What is changed, such as `phase.until`' }),
  subject: Type.String({ description: 'Whose: a team_id, the name of a phase, or `event`' }),
  from: state,
  to: state,
  count: Type.Integer({ description: 'How many it reaches; 1 for a single one' }),
})

export const actReplySchema = Type.Object({
  applied: Type.Boolean({ description: 'Whether the changes are made' }),
  preview_id: Type.String({ description: 'Stands for these changes; send it with the act' }),
  changes: Type.Array(plannedChangeSchema),
  warnings: Type.Array(Type.String(), {
    description: 'What was hardly meant. An act with warnings is refused unless it carries their preview_id.',
  }),
  meets: Type.Object(
    {
      teams: Type.Integer({ description: 'Teams that are not blocked' }),
      running_calls: Type.Integer({ description: 'Paid calls that run now; they run to their end' }),
      open_streams: Type.Integer({ description: 'Those of them that are streamed' }),
    },
    { description: 'Whom the act meets at this moment' },
  ),
  as_of: Type.String({ description: 'ISO 8601 in UTC: the instant of this answer' }),
  version: Type.Integer({ description: "Number of the directory's last change" }),
})

const { applied, preview_id, changes, warnings, as_of, version } = actReplySchema.properties

/** The answer to a dry run of an act whose own reply shows what it made. */
export const previewReplySchema = Type.Object({ applied, preview_id, changes, warnings, as_of, version })

/** `actFields` of an act that is a DELETE, whose members stand in the query. */
export const actQueryFields = {
  reason: Type.Optional(plainText({ description: 'Why, for the audit' })),
  dry_run: Type.Optional(
    Type.Boolean({ default: false, description: 'true: says what would change, and changes nothing' }),
  ),
  preview_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Of a dry run: the act is refused with 409 `preview_outdated` if it would now change something else.',
    }),
  ),
}

export type PlannedChange = Static<typeof plannedChangeSchema>
export type ActReply = Static<typeof actReplySchema>
export type PreviewReply = Static<typeof previewReplySchema>
export type ActBody = {
  readonly reason?: string | null
  readonly dry_run?: boolean | null
  readonly preview_id?: string | null
}
