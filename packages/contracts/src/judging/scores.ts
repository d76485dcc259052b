// Judgements: scores with reasons and cited entries, gates, comments, the order of a judge's teams, and paper scores.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { orNull } from '../or-null.ts'
import { maxComment, maxWhy } from './score-limits.ts'

const longText = (maxLength: number, description: string) =>
  Type.String({ maxLength, pattern: '^[^\\u0000]*$', description })
const asOf = { as_of: Type.String({ description: 'ISO 8601 in UTC' }) }
/** The team as this judge knows it. */
export const teamRefSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'The team as the queue names it: its id, or its number if judging is blind',
})
const revision = Type.Integer({
  minimum: 0,
  description: 'Grows by one with each change; 0: nothing was saved yet',
})

export const citationSchema = Type.Object(
  { seq: Type.Integer({ minimum: 1, description: 'Number of the entry within its team' }) },
  { ...strict, description: 'An entry of the team that shows the reason' },
)

const criterionScoreSchema = Type.Object(
  {
    score: Type.Union([Type.Integer({ minimum: 0, maximum: 100 }), Type.Null()], {
      description: 'From 0 to the max of the criterion; null: not scored yet',
    }),
    why: Type.Optional(longText(maxWhy, 'The reason')),
    cites: Type.Optional(Type.Array(citationSchema, { maxItems: 50 })),
  },
  strict,
)

/** What a judge writes about a team. Criteria and gates that are absent are not decided yet. */
export const judgementContent = {
  scores: Type.Record(Type.String({ maxLength: 40 }), criterionScoreSchema, {
    description: 'By id of the criterion',
    maxProperties: 20,
  }),
  gates: Type.Optional(
    Type.Record(Type.String({ maxLength: 40 }), Type.Union([Type.Boolean(), Type.Null()]), {
      description: 'By id of the gate; true: passed',
      maxProperties: 10,
    }),
  ),
  comment_team: Type.Optional(longText(maxComment, 'For the team, after publication')),
  comment_judges: Type.Optional(longText(maxComment, 'For the other judges and the organisers only')),
}
const contentSchema = Type.Object(judgementContent)

/** A random name that the page makes for itself, so that a judge is warned of another device. */
const device = Type.Optional(Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\w-]+$' }))

/** There is nothing to say. */
export const beginJudgementBodySchema = Type.Object({}, { ...strict, examples: [{}] })
/** Sent at each pause in typing. */
export const saveJudgementBodySchema = Type.Object(
  {
    ...judgementContent,
    revision: Type.Integer({
      minimum: 0,
      description:
        'Revision that this was made from. If there is another by now, it is 409 `conflict`: read it, and join both.',
    }),
    device,
  },
  { ...strict, examples: [{ scores: { direction: { score: 4, why: 'Plans first' } }, revision: 0 }] },
)
export const finishJudgementBodySchema = Type.Object({ revision, device }, strict)
const reason = plainText({ minLength: 1, description: 'Reason; it stays on record' })
export const reasonBodySchema = Type.Object({ reason }, strict)

export const judgementStates = ['to_read', 'begun', 'done', 'unable'] as const

const ownJudgementSchema = Type.Object({
  ...contentSchema.properties,
  revision,
  state: Type.Enum([...judgementStates]),
  saved_at: Type.Union([Type.String(), Type.Null()]),
  /** Of the last save. */
  device: Type.Union([Type.String(), Type.Null()]),
  paper: Type.Boolean({ description: 'Entered by the head judge from paper' }),
  reason: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the judge could not judge, or has opened it again',
  }),
})

const otherJudgementSchema = Type.Object({
  judge: Type.String({ description: 'Name of the judge' }),
  scores: judgementContent.scores,
  gates: Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Null()])),
  comment_judges: Type.String(),
  paper: Type.Boolean(),
})

/** Reply of GET /judging/scores/{team}, and of every change to one's own judgement. */
export const judgementReplySchema = Type.Object({
  team: teamRefSchema,
  own: ownJudgementSchema,
  others: Type.Union([Type.Array(otherJudgementSchema), Type.Null()], {
    description: 'Finished judgements of the other judges; null until your own is finished',
  }),
  ...asOf,
})

export const orderBodySchema = Type.Object(
  {
    teams: Type.Array(teamRefSchema, {
      maxItems: 10_000,
      description: 'All your finished teams, best first',
    }),
    revision,
  },
  strict,
)
export const orderReplySchema = Type.Object({
  items: Type.Array(
    Type.Object({
      team: teamRefSchema,
      name: Type.String(),
      mean: Type.Number({ description: 'Weighted mean of your scores, from 0 to 1' }),
      tied: Type.Boolean({ description: 'Another of your teams has the same mean' }),
    }),
    { description: 'Best first: as saved, and new ones by their mean' },
  ),
  revision,
  saved: Type.Boolean({ description: 'You have put all of these teams in order' }),
  saved_at: Type.Union([Type.String(), Type.Null()]),
  ...asOf,
})

/** A sheet of paper, entered by the head judge for a judge. It is finished at once. */
export const paperBodySchema = Type.Object(
  {
    judge_id: Type.String(),
    team_id: teamIdSchema,
    ...judgementContent,
    reason: orNull(plainText({ description: 'Why it replaces what the judge entered' })),
  },
  { ...strict, examples: [{ judge_id: 'jdg_…', team_id: 'red', scores: { direction: { score: 4 } } }] },
)

export const judgementRowSchema = Type.Object({
  judge_id: Type.String(),
  judge: Type.String(),
  team_id: Type.String(),
  team: Type.String(),
  state: Type.Enum([...judgementStates]),
  ...contentSchema.properties,
  mean: Type.Union([Type.Number(), Type.Null()], {
    description: 'Weighted mean of the scores, from 0 to 1; null before it is finished',
  }),
  paper: Type.Boolean(),
  entered_by: Type.Union([Type.String(), Type.Null()], { description: 'Who entered it from paper' }),
  reason: Type.Union([Type.String(), Type.Null()]),
  at: Type.Union([Type.String(), Type.Null()]),
})
/** Reply of GET /judging/judgements. What is not finished has no scores here. */
export const judgementListSchema = Type.Object({
  items: Type.Array(judgementRowSchema, { description: 'By team, then by judge' }),
  ...asOf,
})

/** Reply of POST /judging/papers. */
export const judgementRowReplySchema = Type.Object({ ...judgementRowSchema.properties, ...asOf })

/** Reply of GET /judging/verify. */
export const judgingVerificationSchema = Type.Object({
  ok: Type.Boolean({ description: 'true if every record is as it was written, and none is missing' }),
  records: Type.Integer({ description: 'Records checked' }),
  problem: Type.Union(
    [
      Type.Object({
        seq: Type.Integer({ description: 'First number at fault' }),
        kind: Type.Enum(['missing', 'altered']),
      }),
      Type.Null(),
    ],
    { description: 'First inconsistency found' },
  ),
})

const counts = {
  assigned: Type.Integer({ description: 'Teams, the one for calibration included' }),
  begun: Type.Integer(),
  done: Type.Integer(),
  unable: Type.Integer(),
}
/** Reply of GET /judging/progress. */
export const progressReplySchema = Type.Object({
  ...counts,
  judges: Type.Array(
    Type.Object({
      judge_id: Type.String(),
      name: Type.String(),
      absent: Type.Boolean(),
      ...counts,
      ordered: Type.Boolean({ description: 'Has put all own finished teams in order' }),
      last_at: Type.Union([Type.String(), Type.Null()], { description: 'Last time something was saved' }),
      seen_at: Type.Union([Type.String(), Type.Null()], {
        description: 'First sign-in with the current link',
      }),
    }),
  ),
  teams: Type.Array(
    Type.Object({
      team_id: Type.String(),
      name: Type.String(),
      number: Type.Union([Type.Integer(), Type.Null()], {
        description: 'As judges know it if judging is blind',
      }),
      wanted: Type.Integer({ description: 'Judgements that the set-up asks for' }),
      ...counts,
    }),
  ),
  ...asOf,
})

export type JudgementContent = Static<typeof contentSchema>
export type SaveJudgementBody = Static<typeof saveJudgementBodySchema>
export type FinishJudgementBody = Static<typeof finishJudgementBodySchema>
export type JudgementState = (typeof judgementStates)[number]
export type JudgementReply = Static<typeof judgementReplySchema>
export type OrderBody = Static<typeof orderBodySchema>
export type OrderReply = Static<typeof orderReplySchema>
export type PaperBody = Static<typeof paperBodySchema>
export type JudgementRow = Static<typeof judgementRowSchema>
export type JudgementList = Static<typeof judgementListSchema>
export type JudgingVerification = Static<typeof judgingVerificationSchema>
export type ProgressReply = Static<typeof progressReplySchema>
