// What teams ask the organisers and how it is answered: the team's own view on the gateway door, and the organisers' view.
import Type, { type Static } from 'typebox'
import { announcementTextSchema } from '../management/announcements.ts'
import { strict } from '../management/owner-fields.ts'
import { actFields } from '../management/planned-act.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { orNull } from '../or-null.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, replyHead } from './figures.ts'

/** Of one team: so many may wait for an answer, and so many may be asked within an hour. */
export const mostWaitingQuestions = 5
export const mostQuestionsAnHour = 20

export const askQuestionBodySchema = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Plain text, which may have several lines',
    }),
    context: orNull(
      Type.Object(
        {
          page: orNull(Type.String({ maxLength: 200, description: 'The page that it was asked on' })),
          call_id: orNull(Type.String({ maxLength: 64, description: 'A call of the team that it is about' })),
        },
        { ...strict, description: 'What it is about' },
      ),
    ),
  },
  { ...strict, examples: [{ text: 'May we use a model of our own?' }] },
)

const own = {
  question_id: Type.String(),
  member: Type.Union([Type.Object({ member_id: Type.String(), name: Type.String() }), Type.Null()], {
    description: 'Who has asked; null for somebody with a key of the whole team',
  }),
  text: Type.String(),
  page: textOrNull('The page that it was asked on'),
  call_id: textOrNull('The call that it is about'),
  state: Type.Enum(['waiting', 'answered']),
  asked_at: Type.String({ description: 'ISO 8601 in UTC' }),
  answer: textOrNull('Null until it is answered'),
  answered_at: textOrNull('ISO 8601 in UTC'),
  audience: Type.Union([Type.Enum(['team', 'all']), Type.Null()], {
    description: 'Who is told the answer: the team alone, or all teams; null until it is answered',
  }),
}

export const ownQuestionSchema = Type.Object(own)
export const ownQuestionReplySchema = Type.Object({ ...replyHead, ...own })

const pageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, examples: [20] })),
  after: cursorQuery,
}

export const ownQuestionsQuerySchema = Type.Object(pageQuery)
export const ownQuestionsSchema = Type.Object({
  ...replyHead,
  items: Type.Array(ownQuestionSchema, { description: 'Newest first' }),
  next: nextCursor,
})

export const questionsQuerySchema = Type.Object({
  state: Type.Optional(Type.Enum(['waiting', 'answered'])),
  team_id: Type.Optional(teamIdSchema),
  ...pageQuery,
})

export const questionSchema = Type.Object({
  ...own,
  team_id: Type.String(),
  team_alias: Type.String({ description: 'As the team is called; its id where it is not there any more' }),
  answered_by: textOrNull('The admin key that has answered'),
  announcement_id: textOrNull('With which all teams were told the answer'),
})

export const questionListSchema = Type.Object({
  ...replyHead,
  items: Type.Array(questionSchema, {
    description: 'With `state=waiting` those that have waited longest come first, otherwise the newest',
  }),
  waiting: Type.Integer({
    minimum: 0,
    description: 'How many nobody has answered yet, on all pages: of the team that was asked for, or of all',
  }),
  next: nextCursor,
})

export const answerQuestionBodySchema = Type.Object(
  {
    text: announcementTextSchema,
    audience: Type.Enum(['team', 'all'], {
      description:
        '`team`: only the team that has asked. `all`: the text is also an announcement to all teams, without the question.',
    }),
    ...actFields,
  },
  { ...strict, examples: [{ text: 'Yes, if it runs on your laptop.', audience: 'team' }] },
)

export const questionReplySchema = Type.Object({ ...replyHead, ...questionSchema.properties })

export type AskQuestionBody = Static<typeof askQuestionBodySchema>
export type OwnQuestion = Static<typeof ownQuestionSchema>
export type OwnQuestions = Static<typeof ownQuestionsSchema>
export type OwnQuestionReply = Static<typeof ownQuestionReplySchema>
export type QuestionsQuery = Static<typeof questionsQuerySchema>
export type QuestionRecord = Static<typeof questionSchema>
export type QuestionList = Static<typeof questionListSchema>
export type QuestionReply = Static<typeof questionReplySchema>
export type AnswerQuestionBody = Static<typeof answerQuestionBodySchema>
