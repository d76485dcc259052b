// POST /self/announcements/{announcement_id}/seen, POST and GET /self/questions: what a team has read, and what it asks the organisers.
import {
  askQuestionBodySchema,
  mostQuestionsAnHour,
  mostWaitingQuestions,
  type OwnQuestionReply,
  type OwnQuestions,
  ownQuestionReplySchema,
  ownQuestionsQuerySchema,
  ownQuestionsSchema,
} from '@fairgate/contracts/console/questions.ts'
import { seenSchema } from '@fairgate/contracts/console/self.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { type Announcement, isFor, stateAt } from '../directory/announcements.ts'
import type { Directory } from '../directory/create-directory.ts'
import { buildOwnQuestion } from '../directory/questions.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { Caller } from '../gateway/flow/authenticate.ts'
import type { Call } from '../http/call.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { CallsReader } from '../record/calls-reader.ts'
import { refuseUnknownParameters } from '../record/read-filter.ts'
import type { Store } from '../store/store.ts'
import { answerSelf } from './answer-self.ts'
import { selfErrors, selfTag as tag } from './session-routes.ts'

export type MessageRoutesDependencies = {
  readonly directory: Pick<Directory, 'askQuestion' | 'findMember' | 'version'>
  readonly announcements: () => readonly Announcement[]
  readonly calls: Pick<CallsReader, 'findOwn'>
  readonly messages: {
    readonly read: Pick<Store['read'], 'findQuestion' | 'listQuestions'>
    readonly write: Pick<Store['write'], 'noteAnnouncementRead'>
  }
  /** Unix ms. */
  readonly clock: () => number
}

const defaultLimit = 50

export function messageRoutes(dependencies: MessageRoutesDependencies): Route<Caller>[] {
  const { directory, announcements, calls, messages, clock } = dependencies
  const { read, write } = messages
  const head = () => ({ as_of: isoTime(clock()), version: directory.version() })
  const shared = { tag, replyHeaders: ['cache-control'] } as const
  const errors = [...selfErrors, 'unavailable'] as const
  return [
    defineRoute<Caller, undefined, undefined>({
      ...shared,
      method: 'POST',
      path: '/self/announcements/:announcement_id/seen',
      pathExamples: { announcement_id: 'an_1' },
      summary: 'Note that an announcement was read',
      description: 'Organisers see how many teams and members have read it. The first time counts.',
      replies: { 200: seenSchema },
      errors: [...errors, 'announcement_not_found'],
      handle: async ({ team: { teamId }, key }, { params: { announcement_id: id = '' } }: Call) => {
        const now = clock()
        const isShown = announcements().some(
          announcement =>
            announcement.announcementId === id &&
            isFor(announcement, teamId) &&
            stateAt(announcement, now) === 'shown',
        )
        if (!isShown) throw new ApiError('announcement_not_found', { param: 'announcement_id' })
        const member_id = key.memberId ?? ''
        await write.noteAnnouncementRead({
          read: { announcement_id: id, team_id: teamId, member_id, seen_at: now },
        })
        return answerSelf({ announcement_id: id })
      },
    }),
    defineRoute<Caller, typeof askQuestionBodySchema, undefined>({
      ...shared,
      method: 'POST',
      path: '/self/questions',
      summary: 'Ask the organisers',
      description: `${mostWaitingQuestions} questions of a team may wait at a time, and it may ask ${mostQuestionsAnHour} within an hour.`,
      body: askQuestionBodySchema,
      maxBodyBytes: 16_384,
      replies: { 200: ownQuestionReplySchema },
      errors: [...errors, 'invalid_request', 'invalid_json', 'call_not_found', 'conflict'],
      handle: async ({ team: { teamId }, key }, { body }) => {
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
        const reply: OwnQuestionReply = { ...head(), ...buildOwnQuestion(asked, directory) }
        return answerSelf(reply)
      },
    }),
    defineRoute<Caller, undefined, typeof ownQuestionsQuerySchema>({
      ...shared,
      method: 'GET',
      path: '/self/questions',
      summary: 'What the own team has asked, newest first, with the answers',
      query: ownQuestionsQuerySchema,
      replies: { 200: ownQuestionsSchema },
      errors: [...errors, 'invalid_request'],
      handle: async ({ team: { teamId } }, { request, query }) => {
        refuseUnknownParameters(ownQuestionsQuerySchema, new URL(request.url).searchParams)
        const { limit = defaultLimit, after } = query
        const last = after === undefined ? null : await read.findQuestion({ questionId: after })
        if (after !== undefined && last?.team_id !== teamId)
          throw refuseValue('after', 'take the `next` of the page before.')
        const rows = await read.listQuestions({
          ...{ teamId, state: null, order: 'newest first', after: last },
          limit: limit + 1,
        })
        const page = rows.slice(0, limit)
        const reply: OwnQuestions = {
          ...head(),
          items: page.map(row => buildOwnQuestion(row, directory)),
          next: rows.length > limit ? (page.at(-1)?.question_id ?? null) : null,
        }
        return answerSelf(reply)
      },
    }),
  ]
}
