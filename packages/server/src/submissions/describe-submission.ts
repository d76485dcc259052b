// Describes submissions for teams and organisers: whether they are late, what they lack, and whether a team can hand in. Pure.
import type {
  NamedInLog,
  SubmissionRow,
  SubmissionState,
  SubmissionVersion,
  SubmittedFile,
  VersionHead,
} from '@fairgate/contracts/console/submissions.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { type Event, submissionAsked, submissionDeadline } from '../directory/event/event.ts'
import type { Member, Team } from '../directory/types.ts'
import type { SubmissionContent, SubmissionRecord } from '../evidence/seal-submission.ts'
import { type Board, isLockedByHand } from '../store/statements/boards.ts'
import type { NamedEntries, NewestSubmission, SubmissionHead } from '../store/statements/submissions.ts'

/** Finds people and the deadline that applies now (Unix ms; null for none). */
export type Around = {
  readonly findMember: (memberId: string) => Pick<Member, 'name'> | undefined
  readonly deadline: number | null
}

/**
 * Late is what came after the deadline that applied when it came, and after the one that applies now: a deadline that is moved back makes
 * nothing late that was in time, and one that is moved on excuses what came before it.
 */
export function isLate(
  { receivedMicros, dueAt }: Pick<SubmissionHead, 'receivedMicros' | 'dueAt'>,
  deadline: number | null,
): boolean {
  return dueAt !== null && deadline !== null && receivedMicros >= Math.max(dueAt, deadline) * 1000
}

export function describeHead(head: SubmissionHead, { findMember, deadline }: Around): VersionHead {
  return {
    version: head.version,
    handed_in_at: isoTime(Math.floor(head.receivedMicros / 1000)),
    late: isLate(head, deadline),
    person: findMember(head.memberId ?? '')?.name ?? null,
  }
}

export function describeVersion(record: SubmissionRecord, around: Around): SubmissionVersion {
  const { title, summary, repository, commit, demoUrl, videoUrl, disclosure, files } = record.content
  return {
    ...describeHead(record, around),
    ...{ title, summary, repository, commit, demo_url: demoUrl, video_url: videoUrl, disclosure },
    files: files.map(describeFile),
  }
}

export function describeFile(file: SubmissionContent['files'][number]): SubmittedFile {
  const { fileId, filename, mimeType, bytes, sha256 } = file
  return { file_id: fileId, filename, mime_type: mimeType, bytes, sha256 }
}

export function describeNamed({ lookedAt, ofRepository, ofCommit, lastMicros }: NamedEntries): NamedInLog {
  return {
    repository_entries: ofRepository,
    commit_entries: ofCommit,
    commit_last_at: isoTime(lastMicros === null ? null : Math.floor(lastMicros / 1000)),
    looked_at: lookedAt,
  }
}

export type StateFacts = {
  readonly event: Event
  readonly findMember: Around['findMember']
  /** Null for a team without a board. */
  readonly board: Pick<Board, 'locked' | 'lockAt'> | null
  /** The newest version; null if nothing was handed in. */
  readonly head: SubmissionHead | null
  /** Unix ms. */
  readonly now: number
}

/** Null if the event asks for no submissions. */
export function describeState({ event, findMember, board, head, now }: StateFacts): SubmissionState | null {
  const asked = submissionAsked(event)
  if (asked === null) return null
  const { disclosure, max_files, late } = asked
  const deadline = submissionDeadline(event)
  const isOver = deadline !== null && now >= deadline
  const closedBy = !isOver
    ? null
    : late === 'refused'
      ? 'deadline'
      : board !== null && isLockedByHand(board, now)
        ? 'organisers'
        : null
  return {
    disclosure,
    max_files,
    due_at: isoTime(deadline),
    open: closedBy === null,
    closed_by: closedBy,
    late_accepted: late === 'marked',
    current: head === null ? null : describeHead(head, { findMember, deadline }),
  }
}

/** `newest`: undefined if the team has handed in nothing. */
export function describeRow(
  { teamId, alias }: Pick<Team, 'teamId' | 'alias'>,
  newest: NewestSubmission | undefined,
  around: Around,
): SubmissionRow {
  const named = { team_id: teamId, team_alias: alias }
  if (newest === undefined) return { ...named, ...nothing }
  const { record, firstMicros } = newest
  const { title, repository, commit, demo_url, video_url, files, ...head } = describeVersion(record, around)
  const links = { repository, commit, demo_url, video_url }
  return {
    ...named,
    state: head.late ? 'late' : 'handed_in',
    version: head.version,
    first_at: isoTime(Math.floor(firstMicros / 1000)),
    handed_in_at: head.handed_in_at,
    person: head.person,
    title,
    ...links,
    files: files.length,
    lacks: Object.entries({ summary: head.summary, ...links }).flatMap(([name, value]) =>
      value === null ? [name] : [],
    ),
  }
}

const nothing = {
  state: 'missing',
  version: 0,
  first_at: null,
  handed_in_at: null,
  person: null,
  title: null,
  repository: null,
  commit: null,
  demo_url: null,
  video_url: null,
  files: 0,
  lacks: [],
} satisfies Omit<SubmissionRow, 'team_id' | 'team_alias'>
