// Sign-ins on pages, and the links that sign in once. Expired ones are removed by the next sign-in.
import type { Insertable, Kysely, Selectable } from 'kysely'
import type { SignInLinksTable, SignInsTable } from '../schema/access.ts'
import type { Schema } from '../schema/schema.ts'

export type SignInRow = Selectable<SignInsTable>
export type SignInLinkRow = Selectable<SignInLinksTable>

/** `now`: Unix ms. */
export async function insertSignIn(
  db: Kysely<Schema>,
  { signIn, now }: { readonly signIn: Insertable<SignInsTable>; readonly now: number },
): Promise<void> {
  await db.deleteFrom('sign_ins').where('expires_at', '<=', now).execute()
  await db.insertInto('sign_ins').values(signIn).execute()
}

/** `select * from sign_ins where cookie_hash = ?` */
export async function findSignIn(
  db: Kysely<Schema>,
  { cookieHash }: { readonly cookieHash: string },
): Promise<SignInRow | null> {
  const row = await db
    .selectFrom('sign_ins')
    .selectAll()
    .where('cookie_hash', '=', cookieHash)
    .executeTakeFirst()
  return row ?? null
}

/** Never shortens: two requests at once may arrive in any order. */
export async function prolongSignIn(
  db: Kysely<Schema>,
  { cookieHash, until }: { readonly cookieHash: string; readonly until: number },
): Promise<void> {
  await db
    .updateTable('sign_ins')
    .set({ expires_at: until })
    .where('cookie_hash', '=', cookieHash)
    .where('expires_at', '<', until)
    .execute()
}

/** Returns how many were ended. */
export async function endSignIns(
  db: Kysely<Schema>,
  which: { readonly cookieHash: string } | { readonly door: string; readonly credential: string },
): Promise<number> {
  const query = db.deleteFrom('sign_ins')
  const { numDeletedRows } = await ('cookieHash' in which
    ? query.where('cookie_hash', '=', which.cookieHash)
    : query.where('door', '=', which.door).where('credential', '=', which.credential)
  ).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** `now`: Unix ms. */
export async function insertSignInLink(
  db: Kysely<Schema>,
  { link, now }: { readonly link: SignInLinkRow; readonly now: number },
): Promise<void> {
  await db.deleteFrom('sign_in_links').where('expires_at', '<=', now).execute()
  await db.insertInto('sign_in_links').values(link).execute()
}

/** `delete … returning *`: only the first request gets it. */
export async function takeSignInLink(
  db: Kysely<Schema>,
  { ticketHash, door }: { readonly ticketHash: string; readonly door: string },
): Promise<SignInLinkRow | null> {
  const row = await db
    .deleteFrom('sign_in_links')
    .where('ticket_hash', '=', ticketHash)
    .where('door', '=', door)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}
