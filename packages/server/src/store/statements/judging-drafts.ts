// Drafts of judgements: saved at each pause in typing, only by who has read the newest revision.
import type { Kysely } from 'kysely'
import { dialectOf } from '../dialect.ts'
import type { Schema } from '../schema/schema.ts'

type Pair = { readonly judgeId: string; readonly teamId: string }

export type DraftHead = Pair & {
  readonly revision: number
  /** Unix ms; null before the first save. */
  readonly savedAt: number | null
  /** Of the last save. */
  readonly device: string | null
}

export type Draft = DraftHead & {
  /** JSON of a JudgementContent. */
  readonly content: string
}

export type SaveDraftInput = Omit<Draft, 'revision' | 'savedAt'> & {
  /** The revision that it was made from; 0 for none. */
  readonly seen: number
  /** Unix ms. */
  readonly now: number
}

/** One statement. False if there is another revision than `seen`; nothing is written then. */
export async function saveDraft(
  db: Kysely<Schema>,
  { judgeId, teamId, seen, content, device, now }: SaveDraftInput,
): Promise<boolean> {
  const saved = { revision: seen + 1, content, device, saved_at: now }
  const result =
    seen === 0
      ? await db
          .insertInto('judging_drafts')
          .values({ judge_id: judgeId, team_id: teamId, ...saved })
          .onConflict(conflict =>
            conflict
              .columns(['judge_id', 'team_id'])
              .doUpdateSet(saved)
              .where('judging_drafts.revision', '=', 0),
          )
          .executeTakeFirstOrThrow()
          .then(({ numInsertedOrUpdatedRows }) => numInsertedOrUpdatedRows)
      : await db
          .updateTable('judging_drafts')
          .set(saved)
          .where('judge_id', '=', judgeId)
          .where('team_id', '=', teamId)
          .where('revision', '=', seen)
          .executeTakeFirstOrThrow()
          .then(({ numUpdatedRows }) => numUpdatedRows)
  return result === 1n
}

/** Keeps other saves out until the transaction ends. A draft that is not there yet gets an empty row, which changes nothing for its readers. */
export async function holdDraft(db: Kysely<Schema>, { judgeId, teamId }: Pair): Promise<number> {
  await db
    .insertInto('judging_drafts')
    .values({ judge_id: judgeId, team_id: teamId, revision: 0, content: '{}', device: null, saved_at: null })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const select = db
    .selectFrom('judging_drafts')
    .select('revision')
    .where('judge_id', '=', judgeId)
    .where('team_id', '=', teamId)
  const { revision } = await (dialectOf(db) === 'postgres'
    ? select.forUpdate()
    : select
  ).executeTakeFirstOrThrow()
  return revision
}

/** Null if nothing was written yet. */
export async function readDraft(db: Kysely<Schema>, { judgeId, teamId }: Pair): Promise<Draft | null> {
  const found = await db
    .selectFrom('judging_drafts')
    .select([...headColumns, 'content'])
    .where('judge_id', '=', judgeId)
    .where('team_id', '=', teamId)
    .executeTakeFirst()
  return found ?? null
}

const headColumns = [
  'judge_id as judgeId',
  'team_id as teamId',
  'revision',
  'saved_at as savedAt',
  'device',
] as const

/** Of one judge, or of all with null. */
export async function listDraftHeads(
  db: Kysely<Schema>,
  { judgeId }: { readonly judgeId: string | null },
): Promise<DraftHead[]> {
  const query = db.selectFrom('judging_drafts').select(headColumns)
  return await (judgeId === null ? query : query.where('judge_id', '=', judgeId)).execute()
}
