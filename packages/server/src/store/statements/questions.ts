// Questions of teams on disk: asked within limits, answered once, listed for organisers and for their team.
import { type Kysely, sql } from 'kysely'
import type { AnnouncementsTable, QuestionsTable } from '../schema/notices.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit } from './audit.ts'
import { awaitDirectoryChanges, tryChange } from './directory-version.ts'
import { insertNumbered } from './numbered-rows.ts'

export type QuestionRow = Readonly<QuestionsTable>

export type InsertQuestionInput = {
  readonly question: QuestionRow
  /** For the team: how many may wait, and how many may be asked after `since` (Unix ms). */
  readonly maxWaiting: number
  readonly maxSince: number
  readonly since: number
}

/** Writes nothing if the team has asked too much. The directory is held, so no other process asks for the team in between. */
export async function insertQuestion(
  db: Kysely<Schema>,
  { question, maxWaiting, maxSince, since }: InsertQuestionInput,
): Promise<'asked' | 'too_many_waiting' | 'too_many_asked'> {
  await awaitDirectoryChanges(db, null)
  const { waiting, asked } = await db
    .selectFrom('questions')
    .select(sql<number>`coalesce(sum(case when answered_at is null then 1 else 0 end), 0)`.as('waiting'))
    .select(sql<number>`coalesce(sum(case when asked_at > ${since} then 1 else 0 end), 0)`.as('asked'))
    .where('team_id', '=', question.team_id)
    .executeTakeFirstOrThrow()
  if (waiting >= maxWaiting) return 'too_many_waiting'
  if (asked >= maxSince) return 'too_many_asked'
  await db.insertInto('questions').values(question).execute()
  return 'asked'
}

export type AnswerQuestionInput = Pick<QuestionsTable, 'question_id'> & {
  readonly answer: string
  readonly now: number
  readonly actor: string
  /** The announcement that shows the answer to all teams. */
  readonly announcement: Omit<AnnouncementsTable, 'version'> | null
  readonly audit: readonly AuditEntry[]
}

/**
 * `update questions set answer … where question_id = ? and answered_at is null`, with its announcement and its audit rows. Returns the
 * number of the change; null if it was answered before, and nothing is written then.
 */
export async function answerQuestion(db: Kysely<Schema>, input: AnswerQuestionInput): Promise<number | null> {
  const { question_id, answer, now, actor, announcement, audit } = input
  return await tryChange(db, async version => {
    const { numUpdatedRows } = await db
      .updateTable('questions')
      .set({
        answer,
        answered_at: now,
        answered_by: actor,
        announcement_id: announcement?.announcement_id ?? null,
      })
      .where('question_id', '=', question_id)
      .where('answered_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    if (announcement !== null) await insertNumbered(db, 'announcements', announcement, version)
    await appendAudit(db, audit)
    return true
  })
}

/** Null if there is none. */
export async function findQuestion(
  db: Kysely<Schema>,
  { questionId }: { readonly questionId: string },
): Promise<QuestionRow | null> {
  // PostgreSQL rejects such a text even in a query.
  if (questionId.includes('\0')) return null
  const found = await db
    .selectFrom('questions')
    .selectAll()
    .where('question_id', '=', questionId)
    .executeTakeFirst()
  return found ?? null
}

export type ListQuestionsInput = {
  /** Null for all teams. */
  readonly teamId: string | null
  /** Null for both. */
  readonly state: 'waiting' | 'answered' | null
  readonly order: 'oldest first' | 'newest first'
  /** The last item of the previous page; null for the start. */
  readonly after: Pick<QuestionRow, 'asked_at' | 'question_id'> | null
  readonly limit: number
}

/** `select * from questions [where …] order by asked_at, question_id limit ?`. */
export async function listQuestions(db: Kysely<Schema>, input: ListQuestionsInput): Promise<QuestionRow[]> {
  const { teamId, state, order, after, limit } = input
  const isOldest = order === 'oldest first'
  let query = db.selectFrom('questions').selectAll()
  if (teamId !== null) query = query.where('team_id', '=', teamId)
  if (state !== null) query = query.where('answered_at', state === 'waiting' ? 'is' : 'is not', null)
  if (after !== null)
    query = query.where(
      sql<boolean>`(asked_at, question_id) ${isOldest ? sql`>` : sql`<`} (${after.asked_at}, ${after.question_id})`,
    )
  const direction = isOldest ? 'asc' : 'desc'
  return await query.orderBy('asked_at', direction).orderBy('question_id', direction).limit(limit).execute()
}

export type QuestionSum = {
  readonly teamId: string
  readonly asked: number
  readonly waiting: number
  /** Unix ms: when the first of the waiting ones was asked; null for none. */
  readonly waitingSince: number | null
  readonly lastAnsweredAt: number | null
}

/** One row for each team that has asked a question. */
export async function sumQuestions(db: Kysely<Schema>, _input: null): Promise<QuestionSum[]> {
  return await db
    .selectFrom('questions')
    .select(['team_id as teamId', sql<number>`count(*)`.as('asked')])
    .select(sql<number>`sum(case when answered_at is null then 1 else 0 end)`.as('waiting'))
    .select(sql<number | null>`min(case when answered_at is null then asked_at end)`.as('waitingSince'))
    .select(sql<number | null>`max(answered_at)`.as('lastAnsweredAt'))
    .groupBy('team_id')
    .execute()
}
