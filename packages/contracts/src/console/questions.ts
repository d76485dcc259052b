// Questions from teams to the organisers and their answers: the team's view on the gateway door, and the organisers' view.
import Type, { type Static } from 'typebox'
import { announcementTextSchema } from '../management/announcements.ts'
import { strict } from '../management/owner-fields.ts'
import { actionFields } from '../management/planned-action.ts'
import { teamIdSchema } from '../management/team-bodies.ts'
import { orNull } from '../or-null.ts'
import { textOrNull } from '../spend/spend-members.ts'
import { cursorQuery, nextCursor, replyHead } from './figures.ts'

/** Limits per team: unanswered questions, and questions asked within an hour. */
export const maxWaitingQuestions = 5
export const maxQuestionsAnHour = 20

export const askQuestionBodySchema = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Plain text; multiple lines are allowed',
    }),
    context: orNull(
      Type.Object(
        {
          page: orNull(Type.String({ maxLength: 200, description: 'Page where the question was asked' })),
          call_id: orNull(
            Type.String({ maxLength: 64, description: 'Call of the team that the question is about' }),
          ),
        },
        { ...strict, description: 'Context of the question' },
      ),
    ),
  },
  { ...strict, examples: [{ text: 'May we use a model of our own?' }] },
)

const own = {
  question_id: Type.String(),
  member: Type.Union([Type.Object({ member_id: Type.String(), name: Type.String() }), Type.Null()], {
    description: 'Member who asked; null if a key of the whole team was used',
  }),
  text: Type.String(),
  page: textOrNull('Page where the question was asked'),
  call_id: textOrNull('Call that the question is about'),
  state: Type.Enum(['waiting', 'answered']),
  asked_at: Type.String({ description: 'ISO 8601 in UTC' }),
  answer: textOrNull('Null until the question is answered'),
  answered_at: textOrNull('ISO 8601 in UTC'),
  audience: Type.Union([Type.Enum(['team', 'all']), Type.Null()], {
    description: 'Who gets the answer: only this team, or all teams; null until the question is answered',
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
  team_alias: Type.String({ description: 'Name of the team, or its id if the team no longer exists' }),
  answered_by: textOrNull('Name of the admin key that answered'),
  announcement_id: textOrNull('Announcement that sent the answer to all teams'),
})

export const questionListSchema = Type.Object({
  ...replyHead,
  items: Type.Array(questionSchema, {
    description: 'With `state=waiting` the longest-waiting first, otherwise the newest first',
  }),
  waiting: Type.Integer({
    minimum: 0,
    description: 'Unanswered questions on all pages: of the requested team, or of all teams',
  }),
  next: nextCursor,
})

export const answerQuestionBodySchema = Type.Object(
  {
    text: announcementTextSchema,
    audience: Type.Enum(['team', 'all'], {
      description:
        '`team`: only the team that asked. `all`: the text is also announced to all teams, without the question.',
    }),
    ...actionFields,
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
