// Creates the access control of the admin door: admin keys, sign-in sessions, and the check of each request.

import type { Call } from '../http/call.ts'
import type { Judging } from '../judging/open-judging.ts'
import { AdminHolders } from '../people/admin-holders.ts'
import { AdminKeyService } from '../people/admin-key-service.ts'
import type { Every } from '../people/serve-live.ts'
import { SignIns } from '../people/sign-ins.ts'
import type { World } from '../world/world.ts'
import { createAdminAuthenticator, Identities } from './authenticate-admin.ts'

export type Access = ReturnType<typeof createAccess>

export function createAccess(
  dependencies: Pick<World, 'store' | 'clock' | 'randomBytes' | 'newId'> & {
    /** Returns true if the client's connection is encrypted. */
    readonly isSecure: (call: Call) => boolean
    /** Returns this door's address as browsers use it, without a trailing slash. */
    readonly publicUrl: () => string
    readonly adminKey: string
    readonly adminKeyDigest: string
    readonly every: Every
    readonly judging: Pick<Judging, 'log' | 'links'>
  },
) {
  const { store, publicUrl } = dependencies
  const around = { ...dependencies, ...store }
  const identities = new Identities(new AdminHolders(around), dependencies.judging)
  const signIns = new SignIns({ ...around, door: 'admin' })
  return {
    signIns,
    every: dependencies.every,
    authenticate: createAdminAuthenticator(identities, signIns, () => new URL(publicUrl()).origin),
    keys: new AdminKeyService(around),
    sessions: { identities, signIns, ...dependencies },
  }
}
