// Asks and answers questions: an answer is one audited write, together with the announcement that shows it to all teams.
import {
  type AnswerQuestionBody,
  maxQuestionsAnHour,
  maxWaitingQuestions,
} from '@fairgate/contracts/console/questions.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { QuestionRow } from '../store/statements/questions.ts'
import type { Store } from '../store/store.ts'
import { planAnnouncement } from './announcement-commands.ts'
import { checkText, countAudience, toAnnouncementRow } from './announcements.ts'
import { toAuditRow } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import { type ActionResult, carryOut, planChange } from './planned-action.ts'
import { buildQuestionRecord, checkQuestion } from './questions.ts'

export type NewQuestion = {
  readonly teamId: string
  readonly memberId: string | null
  readonly text: string
  readonly page: string | null
  readonly callId: string | null
}

const hourMs = 3_600_000

export function createQuestionCommands(
  dependencies: CommandDependencies,
  read: Pick<Store['read'], 'findQuestion'>,
) {
  const { memory, write, run, clock, newId } = dependencies
  return {
    /** Throws ApiError `invalid_request`, and `conflict` (409) for a team with too many questions. */
    askQuestion: async ({ teamId, memberId, text, page, callId }: NewQuestion): Promise<QuestionRow> => {
      const now = clock()
      const question: QuestionRow = {
        question_id: `q_${newId()}`,
        team_id: teamId,
        member_id: memberId,
        text: checkQuestion('text', text),
        page: page === null || page === '' ? null : checkText('context.page', page),
        call_id: callId,
        asked_at: now,
        answer: null,
        answered_at: null,
        answered_by: null,
        announcement_id: null,
      }
      const outcome = await write.insertQuestion({
        question,
        maxWaiting: maxWaitingQuestions,
        maxSince: maxQuestionsAnHour,
        since: now - hourMs,
      })
      if (outcome === 'asked') return question
      throw new ApiError('conflict', {
        message:
          outcome === 'too_many_waiting'
            ? `Your team already has ${maxWaitingQuestions} questions waiting for an answer. Ask again when one of them is answered.`
            : `Your team has asked ${maxQuestionsAnHour} questions within an hour. Ask again later.`,
      })
    },
    /** Throws ApiError `question_not_found`, `invalid_request`, and `conflict` (409) for a question that is answered, or too many announcements. */
    answerQuestion: (
      questionId: string,
      body: AnswerQuestionBody,
      actor: string,
    ): Promise<ActionResult<QuestionRow>> =>
      carryOut({ run, clock }, body, {
        plan: async now => {
          const before = await read.findQuestion({ questionId })
          if (before === null) throw new ApiError('question_not_found', { param: 'question_id' })
          if (before.answered_at !== null) throw refuseAnswered(before)
          const answer = checkText('text', body.text)
          const reason = body.reason ?? null
          const announced =
            body.audience === 'all'
              ? planAnnouncement(dependencies, { text: answer, reason }, actor, now)
              : null
          const count = announced === null ? 1 : countAudience(announced.announcement, memory.teams())
          const changes = planChange('question.answer', before.team_id, null, answer, count)
          return { plan: { changes }, before, answer, reason, announced }
        },
        make: async ({ before, answer, reason, announced }, now) => {
          const after: QuestionRow = {
            ...before,
            answer,
            answered_at: now,
            answered_by: actor,
            announcement_id: announced?.announcement.announcementId ?? null,
          }
          const audit = toAuditRow(
            { now, actor, reason },
            {
              action: 'question.answer',
              teamId: before.team_id,
              target: questionId,
              before: buildQuestionRecord(before, memory),
              after: buildQuestionRecord(after, memory),
            },
          )
          const reported = announced === null ? [] : [announced]
          const version = await write.answerQuestion({
            question_id: questionId,
            answer,
            now,
            actor,
            announcement: announced === null ? null : toAnnouncementRow(announced.announcement),
            audit: [audit, ...reported.map(one => one.audit)],
          })
          // If it was answered meanwhile, the next check reports that.
          return memory.commit(version, { announcements: reported.map(one => one.announcement) }, after)
        },
      }),
  }
}

function refuseAnswered({ answered_by }: QuestionRow): ApiError {
  return new ApiError('conflict', {
    message: `${answered_by ?? 'Someone'} has already answered this question. To add something, make an announcement.`,
  })
}
