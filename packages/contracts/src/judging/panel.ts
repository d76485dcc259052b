// Judges, their conflicts and their teams on the admin door.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { emailSchema, personNameSchema } from '../management/people.ts'
import { actionFields } from '../management/planned-action.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { orNull } from '../or-null.ts'
import { judgeLinkSchema } from './codes.ts'
import { tagSchema } from './setup.ts'

const reason = plainText({ minLength: 1, description: 'Reason; it stays on record' })
const asOf = { as_of: Type.String({ description: 'ISO 8601 in UTC' }) }
const minutes = Type.Integer({ minimum: 0, maximum: 10_080 })
const tags = Type.Array(tagSchema, { maxItems: 20, description: 'Schools and companies' })
const tracks = Type.Array(Type.String({ maxLength: 40 }), {
  maxItems: 50,
  description: 'Ids of tracks; empty: every team',
})

export const newJudgeSchema = Type.Object(
  {
    name: personNameSchema,
    email: orNull(emailSchema),
    tags: Type.Optional(tags),
    tracks: Type.Optional(tracks),
    minutes: orNull(minutes),
  },
  strict,
)

export const newJudgesBodySchema = Type.Object(
  {
    judges: orNull(Type.Array(newJudgeSchema, { minItems: 1, maxItems: 500 })),
    csv: orNull(
      Type.String({
        maxLength: 1_000_000,
        description:
          'Columns name, email, tags, tracks and minutes, as a spreadsheet exports them; all but the name are optional. Several tags or tracks are separated by semicolons.',
      }),
    ),
    ...actionFields,
  },
  {
    ...strict,
    examples: [{ csv: 'name,email,tags\nMira Lang,mira@example.com,Harbour College', dry_run: true }],
  },
)

export const changeJudgeBodySchema = Type.Object(
  {
    email: orNull(emailSchema),
    tags: Type.Optional(tags),
    tracks: Type.Optional(tracks),
    minutes: orNull(minutes),
    absent: Type.Optional(
      Type.Literal(false, {
        description: 'false: a judge who was absent is back, and gets teams with the next deal',
      }),
    ),
    reason: orNull(plainText({ description: 'Reason, for the audit log' })),
  },
  strict,
)

export const conflictBodySchema = Type.Object(
  { team_id: teamIdSchema, judge_id: Type.String(), reason },
  strict,
)

export const dealBodySchema = Type.Object(
  {
    replace: orNull(
      Type.String({
        description:
          'Id of a judge who is absent from now on: the teams that this judge has not finished go to others, and nothing else moves. Absent: everything that was not begun is dealt again.',
      }),
    ),
    ...actionFields,
  },
  { ...strict, examples: [{ dry_run: true }] },
)

export const judgeSchema = Type.Object({
  judge_id: Type.String(),
  name: Type.String(),
  email: Type.Union([Type.String(), Type.Null()]),
  tags: Type.Array(Type.String()),
  tracks: Type.Array(Type.String()),
  minutes: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: as the set-up says' }),
  absent: Type.Boolean({ description: 'Gets no more teams' }),
  teams: Type.Array(Type.String(), {
    description: 'Assigned teams, in the order of reading; calibration first',
  }),
  link: judgeLinkSchema,
  conflicts: Type.Array(
    Type.Object({
      team_id: Type.String(),
      reason: Type.String(),
      declared_by: Type.String(),
      at: Type.String(),
    }),
  ),
})

export const judgeListSchema = Type.Object({
  items: Type.Array(judgeSchema, { description: 'By name' }),
  ...asOf,
})
export const judgeReplySchema = Type.Object({ ...judgeSchema.properties, ...asOf })

export const assignmentListSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      team_id: Type.String(),
      judges: Type.Array(Type.Object({ judge_id: Type.String(), name: Type.String() })),
      short: Type.Integer({ description: 'Judges that it lacks' }),
    }),
    { description: 'Every team, by id' },
  ),
  ...asOf,
})

export type NewJudge = Static<typeof newJudgeSchema>
export type NewJudgesBody = Static<typeof newJudgesBodySchema>
export type ChangeJudgeBody = Static<typeof changeJudgeBodySchema>
export type ConflictBody = Static<typeof conflictBodySchema>
export type DealBody = Static<typeof dealBodySchema>
export type JudgeItem = Static<typeof judgeSchema>
export type JudgeList = Static<typeof judgeListSchema>
export type AssignmentList = Static<typeof assignmentListSchema>
