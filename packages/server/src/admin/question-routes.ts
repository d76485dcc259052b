// GET /questions and POST /questions/{question_id}/answer: what teams ask the organisers.
import {
  answerQuestionBodySchema,
  type QuestionList,
  type QuestionReply,
  questionListSchema,
  questionReplySchema,
  questionsQuerySchema,
} from '@fairgate/contracts/console/questions.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Directory } from '../directory/create-directory.ts'
import { buildQuestionRecord } from '../directory/questions.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import type { Store } from '../store/store.ts'
import type { AdminRoute } from './admin-route.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { changeRoute, lookupRoute } from './management-route.ts'

export type QuestionRoutesDependencies = {
  readonly directory: Pick<Directory, 'answerQuestion' | 'findMember' | 'findTeam' | 'version'>
  readonly read: Pick<Store['read'], 'findQuestion' | 'listQuestions' | 'sumQuestions'>
  /** Unix ms. */
  readonly clock: () => number
}

const tag = 'Questions'
const defaultLimit = 50

export function questionRoutes({ directory, read, clock }: QuestionRoutesDependencies): AdminRoute[] {
  const head = () => ({ as_of: isoTime(clock()), version: directory.version() })
  return [
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/questions',
      summary: 'What teams have asked on their pages',
      query: questionsQuerySchema,
      reply: questionListSchema,
      errors: ['invalid_request', 'team_not_found', 'unavailable'],
      look: async ({ state, team_id: teamId, limit = defaultLimit, after }): Promise<QuestionList> => {
        if (teamId !== undefined) requireTeam(directory, teamId)
        const last = after === undefined ? null : await read.findQuestion({ questionId: after })
        if (after !== undefined && last === null)
          throw refuseValue('after', 'take the `next` of the page before.')
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
          ...head(),
          items: page.map(row => buildQuestionRecord(row, directory)),
          waiting: asked.reduce((count, { waiting }) => count + waiting, 0),
          next: rows.length > limit ? (page.at(-1)?.question_id ?? null) : null,
        }
      },
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/questions/:question_id/answer',
      pathExamples: { question_id: 'q_1' },
      summary: 'Answer a question, for its team or for all',
      description: `Once: what else there is to say is an announcement. The team reads the answer on its page; with the audience \`all\` it is announced to all teams in the same step. ${previewText}`,
      body: answerQuestionBodySchema,
      reply: orPreview(questionReplySchema),
      errors: ['question_not_found', 'conflict', 'preview_outdated'],
      change: (body, actor, { question_id: id = '' }) =>
        answerAct(
          directory.answerQuestion(id, body, actor),
          head,
          (answered): QuestionReply => ({ ...head(), ...buildQuestionRecord(answered, directory) }),
        ),
    }),
  ]
}
