// POST /self/announcements/{announcement_id}/seen, POST and GET /self/questions: read receipts of announcements, and questions to organisers.
import {
  askQuestionBodySchema,
  maxQuestionsAnHour,
  maxWaitingQuestions,
  type OwnQuestionReply,
  type OwnQuestions,
  ownQuestionReplySchema,
  ownQuestionsQuerySchema,
  ownQuestionsSchema,
} from '@fairgate/contracts/console/questions.ts'
import { seenSchema } from '@fairgate/contracts/console/self.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isFor, stateAt } from '../directory/announcements.ts'
import { nextOfPageBefore } from '../directory/pages.ts'
import { buildOwnQuestion } from '../directory/questions.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Route } from '../http/route.ts'
import { momentOf, type SelfSources, selfRoute } from './self-route.ts'

const defaultLimit = 50

export function messageRoutes(sources: SelfSources): Route<Caller>[] {
  const { directory, calls, read, write, clock } = sources
  return [
    selfRoute({
      method: 'POST',
      path: '/self/announcements/:announcement_id/seen',
      summary: 'Mark an announcement as read',
      description: 'Organisers see how many teams and members have read it. Only the first time counts.',
      reply: seenSchema,
      errors: ['announcement_not_found'],
      look: async ({ team: { teamId }, key }, { params: { announcement_id: id = '' } }) => {
        const now = clock()
        const isShown = directory
          .announcements()
          .some(one => one.announcementId === id && isFor(one, teamId) && stateAt(one, now) === 'shown')
        if (!isShown) throw new ApiError('announcement_not_found', { param: 'announcement_id' })
        const member_id = key.memberId ?? ''
        await write.noteAnnouncementRead({
          read: { announcement_id: id, team_id: teamId, member_id, seen_at: now },
        })
        return { announcement_id: id }
      },
    }),
    selfRoute({
      method: 'POST',
      path: '/self/questions',
      summary: 'Ask the organisers',
      description: `A team can have ${maxWaitingQuestions} waiting questions at a time, and can ask ${maxQuestionsAnHour} within an hour.`,
      body: askQuestionBodySchema,
      maxBodyBytes: 16_384,
      reply: ownQuestionReplySchema,
      errors: ['invalid_request', 'invalid_json', 'call_not_found', 'conflict'],
      look: async ({ team: { teamId }, key }, { body }): Promise<OwnQuestionReply> => {
        const callId = body.context?.call_id ?? null
        if (callId !== null && (await calls.findOwn(teamId, callId)) === null)
          throw new ApiError('call_not_found', { param: 'context.call_id' })
        const asked = await directory.askQuestion({
          teamId,
          memberId: key.memberId ?? null,
          text: body.text,
          page: body.context?.page ?? null,
          callId,
        })
        return { ...momentOf(sources), ...buildOwnQuestion(asked, directory) }
      },
    }),
    selfRoute({
      path: '/self/questions',
      summary: "List your team's questions with their answers, newest first",
      query: ownQuestionsQuerySchema,
      reply: ownQuestionsSchema,
      errors: ['invalid_request'],
      isStrict: true,
      look: async ({ team: { teamId } }, { query }): Promise<OwnQuestions> => {
        const { limit = defaultLimit, after } = query
        const last = after === undefined ? null : await read.findQuestion({ questionId: after })
        if (after !== undefined && last?.team_id !== teamId) throw refuseValue('after', nextOfPageBefore)
        const rows = await read.listQuestions({
          ...{ teamId, state: null, order: 'newest first', after: last },
          limit: limit + 1,
        })
        const page = rows.slice(0, limit)
        return {
          ...momentOf(sources),
          items: page.map(row => buildOwnQuestion(row, directory)),
          next: rows.length > limit ? (page.at(-1)?.question_id ?? null) : null,
        }
      },
    }),
  ]
}
