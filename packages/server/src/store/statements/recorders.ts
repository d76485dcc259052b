// Recorders' reports about themselves: a row for each log token and clone, with its latest report.
import type { Kysely } from 'kysely'
import type { Schema } from '../schema/schema.ts'

export type SeenRecorder = {
  readonly teamId: string
  readonly tokenId: string
  readonly cloneId: string
  readonly version: string
  /** Entries that waited on the laptop when it had sent. */
  readonly unsent: number
  /** Since when the oldest of them has waited, by the server's clock (Unix ms). */
  readonly oldestAt: number | null
  readonly rejected: number
  /** Tools that have lost their hooks. */
  readonly gone: readonly string[]
  /** How far the laptop's clock was behind the server's; negative if ahead, null if the recorder does not report it. */
  readonly clockBehindMs: number | null
  /** Unix ms. */
  readonly seenAt: number
}

/** Anyone with a token may invent clones. */
const maxClonesPerToken = 64

/**
 * For each `select clone_id, seen_at from recorders where token_id = ?`, and then `update` if it exists and is older, or `insert` up to 64
 * of a token. Two processes may insert the same one: `on conflict do nothing`, because the next report follows.
 */
export async function noteRecorders(
  db: Kysely<Schema>,
  { recorders }: { readonly recorders: readonly SeenRecorder[] },
): Promise<void> {
  for (const { teamId, tokenId, cloneId, seenAt, ...report } of recorders) {
    const { version, unsent, oldestAt, rejected, gone, clockBehindMs } = report
    const reported = {
      ...{ team_id: teamId, version, unsent, oldest_at: oldestAt, rejected },
      ...{ gone: JSON.stringify(gone), clock_behind_ms: clockBehindMs, seen_at: seenAt },
    }
    const known = await db
      .selectFrom('recorders')
      .select(['clone_id', 'seen_at'])
      .where('token_id', '=', tokenId)
      .limit(maxClonesPerToken)
      .execute()
    const own = known.find(({ clone_id }) => clone_id === cloneId)
    if (own === undefined && known.length < maxClonesPerToken)
      await db
        .insertInto('recorders')
        .values({ token_id: tokenId, clone_id: cloneId, ...reported })
        .onConflict(conflict => conflict.doNothing())
        .execute()
    else if (own !== undefined && own.seen_at <= seenAt)
      await db
        .updateTable('recorders')
        .set(reported)
        .where('token_id', '=', tokenId)
        .where('clone_id', '=', cloneId)
        .execute()
  }
}

/** `select * from recorders where team_id = ?`. */
export async function listRecorders(
  db: Kysely<Schema>,
  { teamId }: { readonly teamId: string },
): Promise<SeenRecorder[]> {
  const rows = await db
    .selectFrom('recorders')
    .select([
      'team_id as teamId',
      'token_id as tokenId',
      'clone_id as cloneId',
      'version',
      'unsent',
      'rejected',
    ])
    .select(['oldest_at as oldestAt', 'gone', 'clock_behind_ms as clockBehindMs', 'seen_at as seenAt'])
    .where('team_id', '=', teamId)
    .execute()
  return rows.map(row => ({ ...row, gone: JSON.parse(row.gone) as readonly string[] }))
}
