// Finds the newest entry that came with one of some log tokens, among the last ones of a team.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'

export type FindEntryOfTokensInput = { readonly teamId: string; readonly tokenIds: readonly string[] }

export type TokenEntry = {
  readonly seq: number
  /** Unix ms. */
  readonly receivedAt: number
}

/** There is no index by token: a team that writes a lot is looked at for a while back, and no further. */
const mostLookedAt = 2000

/** `select … from (select … from entries where team_id = ? order by seq desc limit 2000) where token_id in (…)`; null where there is none. */
export async function findEntryOfTokens(
  db: Kysely<Schema>,
  { teamId, tokenIds }: FindEntryOfTokensInput,
): Promise<TokenEntry | null> {
  if (tokenIds.length === 0) return null
  const row = await db
    .selectFrom(
      db
        .selectFrom('entries')
        .select(['seq', 'received_micros', 'token_id'])
        .where('team_id', '=', teamId)
        .orderBy('seq', 'desc')
        .limit(mostLookedAt)
        .as('newest'),
    )
    .select(['seq', 'received_micros'])
    .where('token_id', 'in', [...tokenIds])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : { seq: row.seq, receivedAt: Math.floor(row.received_micros / 1000) }
}
