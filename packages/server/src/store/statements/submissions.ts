// Submissions of teams on disk: each version is written once, with its seal, its files and its audit row, and read by team.
import { type Kysely, sql } from 'kysely'
import {
  readSubmissionBody,
  type SubmissionContent,
  type SubmissionRecord,
  sealSubmission,
  writeSubmission,
} from '../../evidence/seal-submission.ts'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { holdBoard, isLockedByHand } from './boards.ts'
import { readDatabaseClock } from './database-clock.ts'
import { keepSubmittedFiles } from './files.ts'

export type InsertSubmissionInput = Omit<SubmissionRecord, 'version' | 'receivedMicros'> & {
  /** The version that it was made from; 0 for none. */
  readonly seen: number
  /** The version of the event's settings that the deadline was read from; 0 for none. */
  readonly seenEvent: number
  /** Late ones are refused. */
  readonly refusesLate: boolean
  readonly maxVersions: number
  readonly audit: AuditEntry
}

export type InsertSubmissionOutcome =
  | { readonly kind: 'stored'; readonly record: SubmissionRecord }
  /** The newest version has the same content, for example because the reply to it was lost. */
  | { readonly kind: 'same'; readonly record: SubmissionRecord }
  | { readonly kind: 'outdated'; readonly current: SubmissionRecord | null }
  /** After the deadline, and late ones are refused; or the board is locked by hand. */
  | { readonly kind: 'closed'; readonly by: 'deadline' | 'organisers' }
  | { readonly kind: 'full' }
  | { readonly kind: 'file_missing'; readonly fileId: string }
  /** The event has other settings by now: read them and try again. */
  | { readonly kind: 'event_changed' }

/**
 * Writes the next version. The team's board is held, so versions are numbered one after another, and once a lock of the board has been
 * answered no late version slips in.
 */
export async function insertSubmission(
  db: Kysely<Schema>,
  input: InsertSubmissionInput,
): Promise<InsertSubmissionOutcome> {
  const { seen, seenEvent, refusesLate, maxVersions, audit, ...given } = input
  const { teamId, dueAt, content } = given
  const board = await holdBoard(db, teamId, null)
  const current = await readSubmission(db, { teamId, version: null })
  if (current !== null && isSameContent(current.content, content)) return { kind: 'same', record: current }
  const settings = await db.selectFrom('event_settings').select('version').executeTakeFirst()
  if ((settings?.version ?? 0) !== seenEvent) return { kind: 'event_changed' }
  const receivedMicros = await readDatabaseClock(db)
  const now = Math.floor(receivedMicros / 1000)
  if (dueAt !== null && now >= dueAt) {
    if (refusesLate) return { kind: 'closed', by: 'deadline' }
    if (isLockedByHand(board, now)) return { kind: 'closed', by: 'organisers' }
  }
  const version = current?.version ?? 0
  if (version !== seen) return { kind: 'outdated', current }
  if (version >= maxVersions) return { kind: 'full' }
  const missing = await keepSubmittedFiles(db, {
    teamId,
    now,
    fileIds: content.files.map(file => file.fileId),
  })
  if (missing !== null) return { kind: 'file_missing', fileId: missing }
  const record: SubmissionRecord = { ...given, version: version + 1, receivedMicros }
  const body = writeSubmission(record)
  await db
    .insertInto('submissions')
    .values({
      team_id: teamId,
      version: record.version,
      received_micros: receivedMicros,
      due_at: dueAt,
      key_hash: record.keyHash,
      member_id: record.memberId,
      ...sealSubmission(record, body),
      body,
    })
    .execute()
  await appendAudit(db, [audit])
  return { kind: 'stored', record }
}

function isSameContent(one: SubmissionContent, other: SubmissionContent): boolean {
  const write = ({ files, ...texts }: SubmissionContent) =>
    JSON.stringify([
      ...Object.entries(texts).toSorted(([left], [right]) => (left < right ? -1 : 1)),
      files.map(({ fileId }) => fileId),
    ])
  return write(one) === write(other)
}

/** `version`: null for the newest. Null if the team has not handed in such a version. */
export async function readSubmission(
  db: Kysely<Schema>,
  { teamId, version }: { readonly teamId: string; readonly version: number | null },
): Promise<SubmissionRecord | null> {
  let query = db.selectFrom('submissions').select('body').where('team_id', '=', teamId)
  if (version !== null) query = query.where('version', '=', version)
  const row = await query.orderBy('version', 'desc').limit(1).executeTakeFirst()
  return row === undefined ? null : readSubmissionBody(row.body)
}

export type SubmissionHead = Pick<
  SubmissionRecord,
  'teamId' | 'version' | 'receivedMicros' | 'dueAt' | 'memberId'
>

const headColumns = [
  'submissions.team_id as teamId',
  'submissions.version',
  'received_micros as receivedMicros',
  'due_at as dueAt',
  'member_id as memberId',
] as const

/** All versions of a team, newest first. */
export async function listSubmissionVersions(
  db: Kysely<Schema>,
  { teamId }: { readonly teamId: string },
): Promise<SubmissionHead[]> {
  return await db
    .selectFrom('submissions')
    .select(headColumns)
    .where('team_id', '=', teamId)
    .orderBy('version', 'desc')
    .execute()
}

const newestOf = (db: Kysely<Schema>) =>
  db
    .selectFrom('submissions')
    .select(({ fn }) => ['team_id', fn.max('version').as('version')])
    .groupBy('team_id')
    .as('newest')

/** The newest version of each team that has handed in, from the index alone. */
export async function listSubmissionHeads(db: Kysely<Schema>, _input: null): Promise<SubmissionHead[]> {
  return await db
    .selectFrom('submissions')
    .innerJoin(newestOf(db), join =>
      join
        .onRef('newest.team_id', '=', 'submissions.team_id')
        .onRef('newest.version', '=', 'submissions.version'),
    )
    .select(headColumns)
    .orderBy('submissions.team_id')
    .execute()
}

export type NewestSubmission = {
  readonly record: SubmissionRecord
  /** Of the team's first version. */
  readonly firstMicros: number
}

/** The newest version of each team that has handed in, in full. */
export async function readNewestSubmissions(db: Kysely<Schema>, _input: null): Promise<NewestSubmission[]> {
  const rows = await db
    .selectFrom('submissions')
    .innerJoin(newestOf(db), join =>
      join
        .onRef('newest.team_id', '=', 'submissions.team_id')
        .onRef('newest.version', '=', 'submissions.version'),
    )
    .innerJoin('submissions as first', join =>
      join.onRef('first.team_id', '=', 'submissions.team_id').on('first.version', '=', 1),
    )
    .select(['submissions.body', 'first.received_micros as firstMicros'])
    .execute()
  return rows.map(({ body, firstMicros }) => ({ record: readSubmissionBody(body), firstMicros }))
}

export type CountNamedEntriesInput = {
  readonly teamId: string
  /** In lower case, without its owner. */
  readonly repository: string
  /** Lower-case hex; null for any. */
  readonly commit: string | null
  /** Newest entries that are looked at, and the bytes of their bodies. */
  readonly maxEntries: number
  readonly maxBytes: number
}

export type NamedEntries = {
  readonly lookedAt: number
  readonly ofRepository: number
  readonly ofCommit: number
  /** Microseconds; null if there is none of the commit. */
  readonly lastMicros: number | null
}

/**
 * Counts the entries that name a repository and a commit. Bodies are canonical JSON, so the first `"repo":` and `"commit":` in them are
 * the entry's own: members are sorted, and objects come only after these (`tool_input`). The engines' JSON functions are not used, because
 * PostgreSQL's refuse a text with `\u0000`. An entry's commit is abbreviated: one of the two begins with the other.
 */
export async function countNamedEntries(
  db: Kysely<Schema>,
  { teamId, repository, commit, maxEntries, maxBytes }: CountNamedEntriesInput,
): Promise<NamedEntries> {
  const find = dialectOf(db) === 'postgres' ? sql.raw('strpos') : sql.raw('instr')
  // Ends at the quote, or after 128 characters, which no name that can match has.
  const readText = (member: 'repo' | 'commit') => {
    const start = sql`substr(body, ${sql.ref(`at_${member}`)} + ${member.length + 4}, 128)`
    return sql`case when ${sql.ref(`at_${member}`)} = 0 then '' else lower(substr(${start}, 1, ${find}(${start} || '"', '"') - 1)) end`
  }
  const at = (member: 'repo' | 'commit') => sql`${find}(body, ${sql.lit(`"${member}":"`)})`
  const isRepository = sql`(named_repo = ${repository}
    or substr(named_repo, length(named_repo) - ${sql.lit(repository.length)}) = ${`/${repository}`})`
  const isCommit =
    commit === null
      ? sql`1 = 0`
      : sql`length(named_commit) >= 7 and (substr(cast(${commit} as text), 1, length(named_commit)) = named_commit
          or substr(named_commit, 1, ${sql.lit(commit.length)}) = ${commit})`
  const { rows } = await sql<NamedEntries>`
    select count(*) as "lookedAt",
      coalesce(sum(case when ${isRepository} then 1 else 0 end), 0) as "ofRepository",
      coalesce(sum(case when ${isRepository} and ${isCommit} then 1 else 0 end), 0) as "ofCommit",
      max(case when ${isRepository} and ${isCommit} then ts_micros end) as "lastMicros"
    from (
      select ts_micros, ${readText('repo')} as named_repo, ${readText('commit')} as named_commit
      from (
        select ts_micros, body, ${at('repo')} as at_repo, ${at('commit')} as at_commit from entries
        where team_id = ${teamId} and seq >= (
          select min(seq) from (
            select seq, sum(body_bytes) over (order by seq desc) as bytes from (
              select seq, body_bytes from entries where team_id = ${teamId} order by seq desc limit ${maxEntries}
            ) as newest
          ) as sized where bytes <= ${maxBytes}
        )
      ) as fitting
    ) as named`.execute(db)
  const [found] = rows
  if (found === undefined) throw new Error('A count had no result.')
  const { lookedAt, ofRepository, ofCommit, lastMicros } = found
  return {
    lookedAt: Number(lookedAt),
    ofRepository: Number(ofRepository),
    ofCommit: Number(ofCommit),
    lastMicros: lastMicros === null ? null : Number(lastMicros),
  }
}
