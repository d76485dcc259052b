// Questions of teams: what their text may contain, and how they are shown to the team and to organisers. Pure rules.
import type { OwnQuestion, QuestionRecord } from '@fairgate/contracts/console/questions.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { QuestionRow } from '../store/statements/questions.ts'
import { checkText } from './announcements.ts'
import { refuseValue } from './refusals.ts'
import type { Member, Team } from './types.ts'

type People = { readonly findMember: (memberId: string) => Member | undefined }
type Teams = People & { readonly findTeam: (teamId: string) => Team | undefined }

/** Each line as in an announcement; empty lines stay. Throws ApiError `invalid_request`. */
export function checkQuestion(param: string, text: string): string {
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n')
  if (lines.every(line => line.trim() === ''))
    throw refuseValue(param, 'write at least one visible character.')
  return lines.map(line => (line.trim() === '' ? '' : checkText(param, line))).join('\n')
}

export function buildOwnQuestion(row: QuestionRow, { findMember }: People): OwnQuestion {
  const member = row.member_id === null ? undefined : findMember(row.member_id)
  const isAnswered = row.answered_at !== null
  return {
    question_id: row.question_id,
    member: member === undefined ? null : { member_id: member.memberId, name: member.name },
    text: row.text,
    page: row.page,
    call_id: row.call_id,
    state: isAnswered ? 'answered' : 'waiting',
    asked_at: isoTime(row.asked_at),
    answer: row.answer,
    answered_at: isoTime(row.answered_at),
    audience: !isAnswered ? null : row.announcement_id === null ? 'team' : 'all',
  }
}

export function buildQuestionRecord(row: QuestionRow, people: Teams): QuestionRecord {
  return {
    ...buildOwnQuestion(row, people),
    team_id: row.team_id,
    team_alias: people.findTeam(row.team_id)?.alias ?? row.team_id,
    answered_by: row.answered_by,
    announcement_id: row.announcement_id,
  }
}
