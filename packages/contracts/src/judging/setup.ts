// Set-up of judging: criteria, gates, ties, the panel's time, tracks and conflicts. Written whole, and kept in every version.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { orNull } from '../or-null.ts'

/** A short name in lower case by which scores, tracks and steps of the ladder refer to each other. */
const idSchema = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,39}$',
  description: 'Lower-case letters, digits and -',
})
const name = plainText({ minLength: 1 })
const text = Type.String({ maxLength: 4000, pattern: '^[^\\u0000]*$' })
const criterionSchema = Type.Object(
  {
    id: idSchema,
    name,
    help: orNull(text),
    weight: Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Share of the total, relative to the others',
    }),
    max: Type.Integer({ minimum: 1, maximum: 100, description: 'Scores are whole numbers from 0 to this' }),
    anchors: Type.Optional(
      Type.Array(Type.Object({ score: Type.Integer({ minimum: 0, maximum: 100 }), text }, strict), {
        maxItems: 101,
        description: 'What a score stands for, so that judges mean the same by it',
      }),
    ),
  },
  strict,
)

const gateSchema = Type.Object({ id: idSchema, name, help: orNull(text) }, strict)

const tieSchema = Type.Union([
  Type.Object({ by: Type.Literal('criterion'), criterion: idSchema }, strict),
  Type.Object({ by: Type.Literal('order') }, strict),
  Type.Object({ by: Type.Literal('head_judge') }, strict),
])

const trackSchema = Type.Object(
  { id: idSchema, name, teams: Type.Array(teamIdSchema, { maxItems: 10_000 }) },
  strict,
)

export const tagSchema = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f]*$',
  description: 'A school or a company',
})

export const judgingSetupSchema = Type.Object(
  {
    criteria: Type.Array(criterionSchema, { minItems: 1, maxItems: 20 }),
    gates: Type.Optional(
      Type.Array(gateSchema, {
        maxItems: 10,
        description: 'Yes or no, apart from points, such as eligibility',
      }),
    ),
    ranking: Type.Enum(['mean', 'adjusted', 'order'], {
      description:
        'What decides: the weighted mean of scores, the mean adjusted for strict and lenient judges, or the ranking that the orders of the judges give',
    }),
    ties: Type.Array(tieSchema, {
      minItems: 1,
      maxItems: 21,
      description:
        'Steps that decide between equal teams, in this order. The last is `head_judge`, who gives a reason.',
    }),
    judges_per_team: Type.Integer({ minimum: 1, maximum: 20 }),
    minutes_per_team: Type.Integer({
      minimum: 1,
      maximum: 480,
      description: 'Changing to the next team included',
    }),
    minutes_per_judge: Type.Integer({
      minimum: 1,
      maximum: 10_080,
      description: 'For judges without a time of their own',
    }),
    calibration_team: orNull(teamIdSchema),
    blind: Type.Optional(
      Type.Boolean({
        description:
          'Judges see numbers and letters instead of names of teams and people, and no repository, links or files. Default: false',
      }),
    ),
    opens_at: orNull(
      Type.String({
        description: 'Scores can be written from then on, ISO 8601 with an offset; absent: at once',
      }),
    ),
    closes_at: orNull(Type.String({ description: 'Scores can be written until then; absent: without end' })),
    tracks: Type.Optional(
      Type.Array(trackSchema, {
        maxItems: 50,
        description: 'A judge with tracks judges only their teams. Teams that are in none are judged by all.',
      }),
    ),
    team_tags: Type.Optional(
      Type.Record(teamIdSchema, Type.Array(tagSchema, { maxItems: 20 }), {
        description: 'A judge with a tag of a team does not judge it',
      }),
    ),
    seed: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\u0000-\\u001f]*$',
      description: 'All draws follow from it. Choose it in public, such as by dice.',
    }),
  },
  {
    ...strict,
  },
)

/** A set-up that works with any teams. */
export const judgingSetupExample: Static<typeof judgingSetupSchema> = {
  criteria: [
    {
      id: 'direction',
      name: 'Direction',
      weight: 2,
      max: 5,
      anchors: [{ score: 3, text: 'Works in the demo' }],
    },
    { id: 'checking', name: 'Checking', weight: 1, max: 5 },
  ],
  ranking: 'mean',
  ties: [{ by: 'criterion', criterion: 'direction' }, { by: 'order' }, { by: 'head_judge' }],
  judges_per_team: 3,
  minutes_per_team: 12,
  minutes_per_judge: 120,
  seed: '4 2 6 1',
}

export const putSetupBodySchema = Type.Object(
  {
    setup: judgingSetupSchema,
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Version that this one was made from, 0 for the first: if there is another by now, it is 409 `conflict`. Absent: replaces any.',
      }),
    ),
    reason: orNull(plainText({ description: 'Reason, for the audit log' })),
  },
  { ...strict, examples: [{ setup: judgingSetupExample }] },
)

export const setupReplySchema = Type.Object({
  setup: Type.Union([judgingSetupSchema, Type.Null()], { description: 'Null before the first' }),
  version: Type.Integer(),
  changed_at: Type.Union([Type.String(), Type.Null()]),
  changed_by: Type.Union([Type.String(), Type.Null()]),
  as_of: Type.String({ description: 'ISO 8601 in UTC' }),
})

/** Without a set-up. */
export const usualPanel = { judges_per_team: 3, minutes_per_team: 10, minutes_per_judge: 120 } as const

const tried = (minimum: number, maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }))
const ofSetup = (what: string, usual: number) => `${what}; default: as in the set-up, ${usual} without one`

export const planQuerySchema = Type.Object({
  team_count: tried(0, 10_000, 'Teams; default: those of the event'),
  judge_count: tried(0, 500, 'Judges, all with `minutes_per_judge`; default: those who are there'),
  judges_per_team: tried(1, 20, ofSetup('Judges wanted for each team', usualPanel.judges_per_team)),
  minutes_per_team: tried(1, 480, ofSetup('Minutes for a team', usualPanel.minutes_per_team)),
  minutes_per_judge: tried(
    1,
    10_080,
    ofSetup('Minutes of each judge who has no own time', usualPanel.minutes_per_judge),
  ),
})

export const planReplySchema = Type.Object({
  teams: Type.Integer({ description: 'Teams to be assigned: all but the one for calibration' }),
  judges: Type.Integer(),
  judges_per_team: Type.Integer({ description: 'As asked for' }),
  places: Type.Integer({ description: 'Judgements that fit into the time of all judges' }),
  full_coverage: Type.Boolean({ description: 'Every judge can judge every team' }),
  judgements_per_team: Type.Integer({ description: 'Judgements that each team gets' }),
  enough: Type.Boolean(),
  minutes_needed: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Minutes that each of these judges needs; null: there are too few of them',
  }),
  judges_needed: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Judges needed with the time of these; null: a judge has no time for a team',
  }),
  sentences: Type.Array(Type.String(), { description: 'The same in words, with what to do about it' }),
  as_of: Type.String({ description: 'ISO 8601 in UTC' }),
})

export type JudgingSetup = Static<typeof judgingSetupSchema>
export type PutSetupBody = Static<typeof putSetupBodySchema>
export type SetupReply = Static<typeof setupReplySchema>
export type PlanQuery = Static<typeof planQuerySchema>
export type PlanReply = Static<typeof planReplySchema>
