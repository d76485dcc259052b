// Who holds an admin key, by the key itself or by what a session kept of it. The one of the environment is good whatever the database says.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Role } from '@fairgate/contracts/management/access.ts'
import { hashSecret } from '../directory/create-secret.ts'
import type { Store } from '../store/store.ts'
import { credentialOf, credentialPrefix, readRole } from './admin-key-desk.ts'

export type AdminHolder = {
  /** The name that the audit records. */
  readonly actor: string
  readonly role: Role
  /** What a session keeps of the key: nothing that lets anybody guess it. */
  readonly credential: string
}

export type AdminHoldersDependencies = {
  /** FAIRGATE_ADMIN_KEY, or the one of the data folder. */
  readonly adminKey: string
  /** Of that key, by a secret of the installation: it may be short, and sessions outlive a restart. */
  readonly adminKeyDigest: string
  /** Asked at each request: a key that was blocked is refused from the next one on, on every process. */
  readonly read: Pick<Store['read'], 'findAdminKey'>
}

/** The name of whoever has the key of the environment. */
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

  /** The holder of the environment's key, without a promise; null for any other key. */
  findOwn(secret: string): AdminHolder | null {
    // Digests have one length, so the comparison does not tell the length of the key either.
    return timingSafeEqual(digest(secret), this.#expected) ? this.#own : null
  }

  /** Null for a key that nobody has, or that is blocked. Rejects with StoreUnavailable. */
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
