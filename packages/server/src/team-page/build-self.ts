// Builds the record that a team's page shows. Pure.
import type { CallItem } from '@fairgate/contracts/calls/call.ts'
import type { Self, SelfFigures } from '@fairgate/contracts/console/self.ts'
import type { TeamRow } from '@fairgate/contracts/console/teams.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { describeClockDifference } from '@fairgate/contracts/logbook/clock-difference.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Event } from '../directory/event/event.ts'
import { buildClock } from '../directory/event/event-record.ts'
import type { Key } from '../directory/types.ts'
import type { Board } from '../store/statements/boards.ts'
import type { QuestionSum } from '../store/statements/questions.ts'
import type { SeenRecorder } from '../store/statements/recorders.ts'
import type { SubmissionHead } from '../store/statements/submissions.ts'
import { describeState } from '../submissions/describe-submission.ts'
import { describeBoard } from './describe-board.ts'

export type SelfFacts = {
  /** Unix ms. */
  readonly now: number
  readonly version: number
  readonly row: TeamRow
  readonly event: Event
  readonly directory: Pick<Directory, 'findMember' | 'findLogTokenById'>
  /** The caller's key. */
  readonly key: Key
  /** All keys of the team, with the spend of each in its period, in USD. */
  readonly keys: readonly { readonly key: Key; readonly spend: number }[]
  readonly refusal: CallItem | null
  /** The team's recorders. */
  readonly recorders: readonly SeenRecorder[]
  readonly addresses: Self['addresses']
  readonly announcements: Self['announcements']
  /** Null for a team without one. */
  readonly board: Board | null
  readonly limits: Self['limits_now']
  /** Null for a team that has asked nothing. */
  readonly questions: QuestionSum | null
  /** The newest version of its submission; null for a team that has handed in nothing. */
  readonly submission: SubmissionHead | null
  readonly judging: Self['judging']
}

/** Builds the part that is the same for the whole team, which the page's stream sends to all of them. */
export function buildSelfFigures({
  now,
  row,
  event,
  announcements,
  board,
  limits,
  questions,
  submission,
  judging,
  directory,
}: Pick<
  SelfFacts,
  | 'now'
  | 'row'
  | 'event'
  | 'announcements'
  | 'board'
  | 'limits'
  | 'questions'
  | 'submission'
  | 'judging'
  | 'directory'
>): SelfFigures {
  return {
    team: { team_id: row.team_id, team_alias: row.team_alias, state: row.state },
    phase: { event_name: event.name, ...buildClock(event, now) },
    budget: {
      budget_nano: row.budget_nano,
      granted_nano: row.granted_nano,
      spent_nano: row.spent_nano,
      held_nano: row.held_nano,
      left_nano: row.left_nano,
      pace_nano_h: row.pace_nano_h,
      dry_at: row.dry_at,
      spark: row.spark,
    },
    lights: row.lights,
    calls: row.calls,
    refused_1h: row.refused_1h,
    last_call: row.last_call,
    last_entry: row.last_entry,
    entries: row.entries,
    board: describeBoard(board, event, now),
    limits_now: limits,
    announcements,
    questions: {
      asked: questions?.asked ?? 0,
      waiting: questions?.waiting ?? 0,
      last_answered_at: isoTime(questions?.lastAnsweredAt ?? null),
    },
    submission: describeState({ event, findMember: directory.findMember, board, head: submission, now }),
    judging,
  }
}

export function buildSelf(facts: SelfFacts): Self {
  const { now, key, directory, addresses } = facts
  const memberOf = (owned: Pick<Key, 'memberId'> | undefined) => directory.findMember(owned?.memberId ?? '')
  const member = memberOf(key)
  return {
    as_of: isoTime(now),
    version: facts.version,
    ...buildSelfFigures(facts),
    member: member === undefined ? null : { member_id: member.memberId, name: member.name },
    keys: facts.keys.map(({ key: each, spend }) => ({
      key_id: each.keyHash,
      alias: each.alias,
      key_name: each.keyName,
      person: memberOf(each)?.name ?? null,
      // The record is in USD, which a double holds exactly to the nano-dollar up to nine million USD.
      spend_nano: Math.round(spend * 1e9),
      works: each.blocked !== true && (each.expiresAt === null || each.expiresAt > now),
      is_own: each.keyHash === key.keyHash,
    })),
    refusal: facts.refusal,
    wrong_clocks: facts.recorders.flatMap(({ tokenId, clockBehindMs }) => {
      const difference = describeClockDifference(clockBehindMs ?? 0)
      return difference === null
        ? []
        : [{ person: memberOf(directory.findLogTokenById(tokenId))?.name ?? null, difference }]
    }),
    dialects: [
      { name: 'openai', base_url: `${addresses.gateway}/v1` },
      { name: 'anthropic', base_url: addresses.gateway },
      { name: 'vendor', base_url: `${addresses.gateway}/vendor` },
    ],
    addresses,
  }
}
