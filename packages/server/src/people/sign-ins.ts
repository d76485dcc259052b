// Sessions of the pages of one door, stored in the database as digests, so that every process knows them and they survive a restart.
import { createSecret, hashSecret } from '../directory/create-secret.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'

export type SignInsDependencies = Pick<World, 'clock' | 'randomBytes'> & {
  readonly door: 'admin' | 'gateway'
  readonly read: Pick<Store['read'], 'findSignIn'>
  readonly write: Pick<
    Store['write'],
    'insertSignIn' | 'prolongSignIn' | 'endSignIns' | 'insertSignInLink' | 'takeSignInLink'
  >
}

export type SignIn = {
  /** The credential that signed in. The door decides whether it is still valid. */
  readonly credential: string
  /** Unix ms. */
  readonly expiresAt: number
}

/** The max time that a session lasts without being used. */
const idleMs = 12 * 3_600_000
/** The last use on disk must be older than this before it is written again, because a write for each request would be wasted. */
const stepMs = 10 * 60_000
const linkMs = 15 * 60_000
const cookieBytes = 32

export class SignIns {
  readonly #given: SignInsDependencies

  constructor(dependencies: SignInsDependencies) {
    this.#given = dependencies
  }

  async begin(credential: string): Promise<{ readonly cookie: string; readonly expiresAt: number }> {
    const { door, write, clock, randomBytes } = this.#given
    const cookie = randomBytes(cookieBytes).toString('base64url')
    const now = clock()
    const expiresAt = now + idleMs
    await write.insertSignIn({
      signIn: {
        cookie_hash: hashSecret(cookie),
        door,
        credential,
        created_at: now,
        expires_at: expiresAt,
      },
      now,
    })
    return { cookie, expiresAt }
  }

  /** Counts as a use. Null for a session that has ended, belongs to another door, or never existed. */
  async find(cookie: string): Promise<SignIn | null> {
    const { door, read, write, clock } = this.#given
    const cookieHash = hashSecret(cookie)
    const row = await read.findSignIn({ cookieHash })
    const now = clock()
    if (row === null || row.door !== door || Number(row.expires_at) <= now) return null
    const { credential } = row
    const until = now + idleMs
    if (until - Number(row.expires_at) < stepMs) return { credential, expiresAt: Number(row.expires_at) }
    await write.prolongSignIn({ cookieHash, until })
    return { credential, expiresAt: until }
  }

  /** Returns how many were ended. */
  end(cookie: string): Promise<number> {
    return this.#given.write.endSignIns({ cookieHash: hashSecret(cookie) })
  }

  /** Ends all sessions of one credential, on every device. */
  endAll(credential: string): Promise<number> {
    return this.#given.write.endSignIns({ door: this.#given.door, credential })
  }

  /** A ticket that signs in once, within a quarter of an hour. */
  async makeTicket(credential: string): Promise<{ readonly ticket: string; readonly expiresAt: number }> {
    const { door, write, clock, randomBytes } = this.#given
    const { secret: ticket, hash: ticket_hash } = createSecret('once_', randomBytes)
    const now = clock()
    const expiresAt = now + linkMs
    await write.insertSignInLink({ link: { ticket_hash, door, credential, expires_at: expiresAt }, now })
    return { ticket, expiresAt }
  }

  /** The ticket's credential; null for a ticket that was used, is too old, or never existed. Works once. */
  async takeTicket(ticket: string): Promise<string | null> {
    const { door, write, clock } = this.#given
    const link = await write.takeSignInLink({ ticketHash: hashSecret(ticket), door })
    return link === null || Number(link.expires_at) <= clock() ? null : link.credential
  }
}
