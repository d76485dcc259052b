// Cases: a question to a team about cited entries, its answer, a decision by somebody else, and one appeal that a third person hears.
import Type, { type Static } from 'typebox'
import { plainText, strict } from '../management/owner-fields.ts'
import { teamIdSchema } from '../management/team-bodies.ts'

export const maxCaseText = 8000
export const maxCaseCites = 50
export const usualAnswerHours = 24

const asOf = { as_of: Type.String({ description: 'ISO 8601 in UTC' }) }
const text = (description: string) =>
  Type.String({ minLength: 1, maxLength: maxCaseText, pattern: '^[^\\u0000]*$', description })
const timeOrNull = Type.Union([Type.String(), Type.Null()])

/** `asked`: the team can answer; `answered`: waits for a decision; `decided`: the team can appeal; `appealed`: waits for a third person. */
export const caseStates = ['asked', 'answered', 'decided', 'appealed', 'final'] as const

export const newCaseBodySchema = Type.Object(
  {
    team_id: teamIdSchema,
    question: text('What the team is asked. It can read this'),
    cites: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        maxItems: maxCaseCites,
        description: 'Numbers of entries of the team that the question is about',
      }),
    ),
    calls: Type.Optional(
      Type.Array(plainText({ minLength: 1 }), {
        maxItems: maxCaseCites,
        description: 'Ids of calls of the team that the question is about',
      }),
    ),
    answer_hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 720,
        default: usualAnswerHours,
        description: 'Hours that the team has to answer, and later to appeal',
      }),
    ),
  },
  strict,
)
export const decideCaseBodySchema = Type.Object(
  {
    decision: text('What is decided, in one sentence. The team can read it'),
    reason: text('Why. The team can read it'),
  },
  strict,
)
export const caseTextBodySchema = Type.Object({ text: text('What the team says') }, strict)

const decisionSchema = Type.Object({
  decision: Type.String(),
  reason: Type.String(),
  at: Type.String(),
  by: Type.String(),
})
const sayingSchema = Type.Object({
  text: Type.String(),
  at: Type.String(),
  late: Type.Boolean({ description: 'After the time that the team had' }),
})

const caseMembers = {
  case_id: Type.String(),
  team_id: Type.String(),
  state: Type.Enum([...caseStates]),
  question: Type.String(),
  cites: Type.Array(Type.Integer()),
  calls: Type.Array(Type.String()),
  opened_at: Type.String(),
  answer_until: Type.String(),
  answer: Type.Union([sayingSchema, Type.Null()]),
  decision: Type.Union([decisionSchema, Type.Null()]),
  appeal_until: timeOrNull,
  appeal: Type.Union([sayingSchema, Type.Null()]),
  appeal_decision: Type.Union([decisionSchema, Type.Null()]),
}
/** As organisers and head judges see it. */
export const caseSchema = Type.Object({
  ...caseMembers,
  team: Type.String(),
  opened_by: Type.String(),
  /** Who may take the next step, in words. */
  next: Type.String({ description: 'What comes next and who may do it, in one sentence' }),
})
export const caseReplySchema = Type.Object({ ...caseSchema.properties, ...asOf })
export const caseListSchema = Type.Object({
  items: Type.Array(caseSchema, { description: 'Open ones first, then the newest' }),
  ...asOf,
})
export const casesQuerySchema = Type.Object({
  team_id: Type.Optional(teamIdSchema),
  open: Type.Optional(Type.Boolean({ description: '`true`: only those that are not final' })),
})

/** As the team sees it: with the names of decisions' authors left out. */
const ownDecisionSchema = Type.Omit(decisionSchema, ['by'])
export const ownCaseSchema = Type.Object({
  ...caseMembers,
  decision: Type.Union([ownDecisionSchema, Type.Null()]),
  appeal_decision: Type.Union([ownDecisionSchema, Type.Null()]),
  can_answer: Type.Boolean(),
  can_appeal: Type.Boolean(),
})
export const ownCaseReplySchema = Type.Object({ ...ownCaseSchema.properties, ...asOf })
export const ownCaseListSchema = Type.Object({ items: Type.Array(ownCaseSchema), ...asOf })

export type NewCaseBody = Static<typeof newCaseBodySchema>
export type DecideCaseBody = Static<typeof decideCaseBodySchema>
export type CaseItem = Static<typeof caseSchema>
export type OwnCase = Static<typeof ownCaseSchema>
