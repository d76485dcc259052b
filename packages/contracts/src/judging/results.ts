// Results of judging: the ranking with all that led to it, ties, re-judging, verification, publication and corrections.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { actionFields } from '../management/planned-action.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { judgingSetupSchema } from './setup.ts'

const { ranking, ties, criteria } = judgingSetupSchema.properties
const asOf = { as_of: Type.String({ description: 'ISO 8601 in UTC' }) }
const timeOrNull = Type.Union([Type.String(), Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])
const numberOrNull = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })
const placeOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })
const reason = plainText({ minLength: 1, description: 'Reason; it stays on record' })
const teamIds = Type.Array(teamIdSchema, { minItems: 1, maxItems: 10_000 })

/** Why a team has no rank. */
export const unrankedReasons = ['not_judged', 'too_few_judgements', 'gate'] as const
/** Why the judges should talk about a team before the results are verified. */
export const discussReasons = ['judges_differ', 'rankings_differ', 'gate'] as const

const teamMembers = {
  team_id: Type.String(),
  team: Type.String(),
  rank: placeOrNull('Teams that nothing decides between share a rank. Null: not ranked, as `unranked` says'),
  unranked: Type.Union([Type.Enum([...unrankedReasons]), Type.Null()]),
  judgements: Type.Integer({ description: 'Finished judgements that count' }),
  mean: numberOrNull('Mean of the weighted means of its judges, from 0 to 1'),
  adjusted: numberOrNull(
    'The mean adjusted for strict and lenient judges; null if every judge has judged every team, because then it says the same',
  ),
  criteria: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), {
    description: 'Mean score for each criterion, in its own points',
  }),
}

export const resultTeamSchema = Type.Object({
  ...teamMembers,
  strength: Type.Number({
    description: 'What the orders of the judges give, as a logarithm; 0 for an average team',
  }),
  place_by_mean: placeOrNull('Place among the ranked teams by the mean, adjusted if that decides'),
  place_by_order: placeOrNull('Place among the ranked teams by the orders of the judges'),
  spread: numberOrNull('Largest difference between two judges, as a share of the scale'),
  failed_gates: Type.Array(Type.String(), { description: 'Gates that more judges deny than grant' }),
  discuss: Type.Array(Type.Enum([...discussReasons])),
})

const tieStepSchema = Type.Object({
  step: ties.items,
  teams: Type.Array(Type.String(), { description: 'Teams that were equal before this step' }),
  values: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), {
    description: 'What the step compares, by team; places for the head judge; null: no decision yet',
  }),
  reason: textOrNull,
})

export const judgeProfileSchema = Type.Object({
  judge_id: Type.String(),
  name: Type.String(),
  judgements: Type.Integer(),
  mean: Type.Number({ description: 'From 0 to 1' }),
  leniency: Type.Number({ description: 'How much higher than others with the same teams, from -1 to 1' }),
  spread: Type.Number({ description: 'Standard deviation of the means' }),
  drift: numberOrNull(
    "How much higher the judge's second half is than the first, compared with what others say of the same teams; null under four judgements",
  ),
})

const rejudgingSchema = Type.Object({
  rejudging_id: Type.String(),
  reason: Type.String(),
  opened_at: Type.String(),
  opened_by: Type.String(),
  items: Type.Array(
    Type.Object({
      team_id: Type.String(),
      judge_id: Type.String(),
      judge: Type.String(),
      done: Type.Boolean({ description: 'Judged again' }),
    }),
  ),
})

const verificationSchema = Type.Object({
  by: Type.String(),
  at: Type.String(),
  note: textOrNull,
  current: Type.Boolean({ description: 'false: the results have changed since' }),
})

const publicationSchema = Type.Object({
  at: Type.String({ description: "When the results are or were published, by the database's clock" }),
  by: Type.String(),
  published: Type.Boolean(),
  corrections: Type.Array(
    Type.Object({ number: Type.Integer(), text: Type.String(), at: Type.String(), by: Type.String() }),
  ),
})

/** Reply of GET /judging/results. */
export const resultsReplySchema = Type.Object({
  digest: Type.String({ description: 'SHA-256 of these results; verification and publication name it' }),
  ranking,
  criteria,
  sampled: Type.Boolean({ description: 'Not every judge has judged every team' }),
  method: Type.Array(Type.String(), { description: 'How the figures came about, in words' }),
  teams: Type.Array(resultTeamSchema, { description: 'By rank, then those without' }),
  ties: Type.Array(tieStepSchema, { description: 'Steps that were needed, in their order' }),
  open_ties: Type.Array(Type.Array(Type.String()), {
    description: 'Teams that only the head judge can still decide between',
  }),
  judges: Type.Array(judgeProfileSchema),
  rejudging: Type.Union([rejudgingSchema, Type.Null()], { description: 'The one that is open' }),
  verification: Type.Union([verificationSchema, Type.Null()]),
  publication: Type.Union([publicationSchema, Type.Null()]),
  missing: Type.Array(Type.String(), {
    description:
      'What should be there before publication, in words: unfinished judgements, orders, open ties',
  }),
  ...asOf,
})

export const decideTieBodySchema = Type.Object(
  { teams: Type.Array(teamIdSchema, { minItems: 2, maxItems: 10_000, description: 'Best first' }), reason },
  strict,
)

export const openRejudgingBodySchema = Type.Object(
  {
    teams: teamIds,
    judges: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 200,
        description: 'Ids; absent: all who have judged these teams',
      }),
    ),
    ...actionFields,
    reason,
  },
  strict,
)

export const closeRejudgingBodySchema = Type.Object(
  {
    apply: Type.Boolean({ description: 'true: the new judgements count; false: they are discarded' }),
    ...actionFields,
    reason,
  },
  strict,
)

/** Reply of GET /judging/rejudging: what would change. */
export const rejudgingReplySchema = Type.Object({
  ...rejudgingSchema.properties,
  effect: Type.Array(
    Type.Object({
      team_id: Type.String(),
      team: Type.String(),
      rank_before: placeOrNull('As it counts now'),
      rank_after: placeOrNull('If the new judgements are applied'),
      mean_before: numberOrNull('From 0 to 1'),
      mean_after: numberOrNull('From 0 to 1'),
    }),
    { description: 'Teams of which anything changes' },
  ),
  ...asOf,
})

const digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description:
    '`digest` of the results that you have checked: if they have changed since, it is 409 `conflict`',
})

export const verifyResultsBodySchema = Type.Object(
  { digest, note: Type.Optional(plainText({ description: 'What was checked' })) },
  strict,
)
export const publishResultsBodySchema = Type.Object(
  {
    digest,
    at: Type.Optional(
      Type.String({
        description: 'ISO 8601; without an offset in the time zone of the event. Absent: at once',
      }),
    ),
    ...actionFields,
  },
  strict,
)
export const correctResultsBodySchema = Type.Object(
  {
    digest,
    text: plainText({ minLength: 1, description: 'What is corrected and why. Everybody can read it' }),
    ...actionFields,
  },
  strict,
)

const publishedCriteria = Type.Array(
  Type.Object({ id: Type.String(), name: Type.String(), weight: Type.Integer(), max: Type.Integer() }),
)

/** Published results, as everybody can read them: GET /results.json on the gateway. */
export const publishedResultsSchema = Type.Object({
  event: Type.String(),
  published_at: Type.String(),
  ranking,
  criteria: publishedCriteria,
  teams: Type.Array(Type.Object(teamMembers), { description: 'By rank, then those without' }),
  ties: Type.Array(tieStepSchema),
  corrections: publicationSchema.properties.corrections,
  method: Type.Array(Type.String()),
})

export const resultsCsvQuerySchema = Type.Object({
  bom: Type.Optional(
    Type.Boolean({ description: 'true: begins with a byte order mark, for spreadsheets that need one' }),
  ),
})

/** As CTFtime reads it. */
export const ctftimeScoreboardSchema = Type.Object({
  tasks: Type.Array(Type.String(), { description: 'Names of the criteria' }),
  standings: Type.Array(
    Type.Object({
      pos: Type.Integer(),
      team: Type.String(),
      score: Type.Number({ description: 'From 0 to 100' }),
      taskStats: Type.Record(
        Type.String(),
        Type.Object({ points: Type.Number(), time: Type.Integer({ description: 'Unix seconds' }) }),
      ),
      lastAccept: Type.Integer({ description: 'Unix seconds' }),
    }),
  ),
})

/** Reply of GET /self/results: a team's own, after publication. */
export const ownResultsSchema = Type.Object({
  published_at: timeOrNull,
  team: Type.Union([Type.Object(teamMembers), Type.Null()]),
  criteria: publishedCriteria,
  comments: Type.Array(Type.String(), {
    description: "The judges' comments for the team, without their names",
  }),
  corrections: publicationSchema.properties.corrections,
  ...asOf,
})

export type ResultsReply = Static<typeof resultsReplySchema>
export type ResultTeam = Static<typeof resultTeamSchema>
export type DecideTieBody = Static<typeof decideTieBodySchema>
export type OpenRejudgingBody = Static<typeof openRejudgingBodySchema>
export type CloseRejudgingBody = Static<typeof closeRejudgingBodySchema>
export type RejudgingReply = Static<typeof rejudgingReplySchema>
export type VerifyResultsBody = Static<typeof verifyResultsBodySchema>
export type PublishResultsBody = Static<typeof publishResultsBodySchema>
export type CorrectResultsBody = Static<typeof correctResultsBodySchema>
export type PublishedResults = Static<typeof publishedResultsSchema>
export type CtftimeScoreboard = Static<typeof ctftimeScoreboardSchema>
export type OwnResults = Static<typeof ownResultsSchema>
