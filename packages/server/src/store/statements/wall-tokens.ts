// Wall links on disk. The snapshot of a frozen one is written once, by the first process to do so.
import type { Kysely, Selectable } from 'kysely'
import type { WallTokensTable } from '../schema/notices.ts'
import type { Schema } from '../schema/schema.ts'
import { type AuditEntry, appendAudit, deleteAudited } from './audit.ts'

export type WallTokenRow = Selectable<WallTokensTable>

/** `select * from wall_tokens order by created_at, wall_token_id` */
export async function listWallTokens(db: Kysely<Schema>, _input: null): Promise<WallTokenRow[]> {
  return await db
    .selectFrom('wall_tokens')
    .selectAll()
    .orderBy('created_at')
    .orderBy('wall_token_id')
    .execute()
}

export async function insertWallToken(
  db: Kysely<Schema>,
  { token, audit }: { readonly token: WallTokenRow; readonly audit: AuditEntry },
): Promise<void> {
  await db.insertInto('wall_tokens').values(token).execute()
  await appendAudit(db, [audit])
}

export const deleteWallToken = deleteAudited('wall_tokens', 'wall_token_id')

export type FreezeWallInput = {
  readonly wallTokenId: string
  readonly snapshot: string
  readonly frozenAt: number
}

/** `update wall_tokens set snapshot … where snapshot is null`: false if another process was faster. */
export async function freezeWall(
  db: Kysely<Schema>,
  { wallTokenId, snapshot, frozenAt }: FreezeWallInput,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('wall_tokens')
    .set({ snapshot, frozen_at: frozenAt })
    .where('wall_token_id', '=', wallTokenId)
    .where('snapshot', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
