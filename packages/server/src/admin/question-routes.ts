// Routes for questions from teams: GET /questions and POST /questions/{question_id}/answer.
import {
  answerQuestionBodySchema,
  type QuestionList,
  questionListSchema,
  questionReplySchema,
  questionsQuerySchema,
} from '@fairgate/contracts/console/questions.ts'
import { nextOfPageBefore } from '../directory/pages.ts'
import { buildQuestionRecord } from '../directory/questions.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import { type AdminRoute, actionRoute, lookupRoute, type Management } from './management-route.ts'

const facts = { tag: 'Questions', openTo: 'organisers' } as const
const defaultLimit = 50

export function questionRoutes({ directory, read, moment }: Management): AdminRoute[] {
  return [
    lookupRoute({
      ...facts,
      path: '/questions',
      summary: 'List the questions that teams have asked',
      query: questionsQuerySchema,
      reply: questionListSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      look: async ({ state, team_id: teamId, limit = defaultLimit, after }): Promise<QuestionList> => {
        if (teamId !== undefined) requireTeam(directory, teamId)
        const last = after === undefined ? null : await read.findQuestion({ questionId: after })
        if (after !== undefined && last === null) throw refuseValue('after', nextOfPageBefore)
        const [rows, sums] = await Promise.all([
          read.listQuestions({
            teamId: teamId ?? null,
            state: state ?? null,
            order: state === 'waiting' ? 'oldest first' : 'newest first',
            after: last,
            limit: limit + 1,
          }),
          read.sumQuestions(null),
        ])
        const asked = sums.filter(sum => teamId === undefined || sum.teamId === teamId)
        const page = rows.slice(0, limit)
        return {
          ...moment(),
          items: page.map(row => buildQuestionRecord(row, directory)),
          waiting: asked.reduce((count, { waiting }) => count + waiting, 0),
          next: rows.length > limit ? (page.at(-1)?.question_id ?? null) : null,
        }
      },
    }),
    actionRoute(moment, {
      ...facts,
      path: '/questions/:question_id/answer',
      summary: 'Answer a question, for its team or for all teams',
      description:
        'A question can be answered once; to add something later, make an announcement. The team sees the answer on its page. With the audience `all` it is also announced to all teams in the same step.',
      body: answerQuestionBodySchema,
      reply: questionReplySchema,
      errors: ['question_not_found', 'conflict'],
      action: (body, actor, { question_id: id = '' }) => directory.answerQuestion(id, body, actor),
      describe: answered => ({ ...moment(), ...buildQuestionRecord(answered, directory) }),
    }),
  ]
}
