// Identifies the holder of an admin key, from the key itself or from what a session stored of it. The environment's key is valid regardless of the
// database.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Role } from '@fairgate/contracts/management/roles.ts'
import { hashSecret } from '../directory/create-secret.ts'
import type { Store } from '../store/store.ts'
import { credentialOf, credentialPrefix, readRole } from './admin-key-service.ts'

export type AdminHolder = {
  /** The name that the audit records. */
  readonly actor: string
  readonly role: Role
  /** The part of the key that a session stores: nothing that makes it possible to guess the key. */
  readonly credential: string
}

export type AdminHoldersDependencies = {
  /** FAIRGATE_ADMIN_KEY, or the key in the data folder. */
  readonly adminKey: string
  /** A digest of that key, keyed with a secret of the installation, because the key may be short and sessions outlive a restart. */
  readonly adminKeyDigest: string
  /** Checked at each request: after a key is blocked, every process refuses its next request. */
  readonly read: Pick<Store['read'], 'findAdminKey'>
}

/** The name of the person who has the environment's key. */
const environmentActor = 'admin'

export class AdminHolders {
  readonly #read: AdminHoldersDependencies['read']
  readonly #expected: Buffer
  readonly #own: AdminHolder

  constructor({ adminKey, adminKeyDigest, read }: AdminHoldersDependencies) {
    this.#read = read
    this.#expected = digest(adminKey)
    this.#own = {
      actor: environmentActor,
      role: 'organiser',
      credential: `environment:${adminKeyDigest}`,
    }
  }

  /** The holder of the environment's key, synchronously; null for any other key. */
  findOwn(secret: string): AdminHolder | null {
    // Digests have one length, so the comparison does not reveal the key's length either.
    return timingSafeEqual(digest(secret), this.#expected) ? this.#own : null
  }

  /** Null for a key that does not exist or is blocked. Rejects with StoreUnavailable. */
  async find(secret: string): Promise<AdminHolder | null> {
    const own = this.findOwn(secret)
    if (own !== null || !secret.startsWith('adm-')) return own
    return this.#findByHash(hashSecret(secret))
  }

  async findByCredential(credential: string): Promise<AdminHolder | null> {
    if (credential === this.#own.credential) return this.#own
    if (!credential.startsWith(credentialPrefix)) return null
    return this.#findByHash(credential.slice(credentialPrefix.length))
  }

  async #findByHash(keyHash: string): Promise<AdminHolder | null> {
    const key = await this.#read.findAdminKey({ keyHash })
    if (key === null || key.blocked !== 0) return null
    return { actor: key.name, role: readRole(key), credential: credentialOf(key) }
  }
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
