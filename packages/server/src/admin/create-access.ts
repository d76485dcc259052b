// Makes what lets organisers in: admin keys, who is signed in, and the check of each request.

import { AdminHolders } from '../people/admin-holders.ts'
import { AdminKeyDesk } from '../people/admin-key-desk.ts'
import type { Every } from '../people/serve-live.ts'
import { SignIns } from '../people/sign-ins.ts'
import type { World } from '../world/world.ts'
import { createAdminAuthenticator } from './authenticate-admin.ts'
import type { SessionDependencies } from './session-routes.ts'

export type Access = ReturnType<typeof createAccess>

export function createAccess(
  dependencies: Pick<World, 'store' | 'clock' | 'randomBytes' | 'newId'> &
    Pick<SessionDependencies, 'publicUrl' | 'isSecure'> & {
      readonly adminKey: string
      readonly adminKeyDigest: string
      readonly every: Every
    },
) {
  const { store, publicUrl } = dependencies
  const around = { ...dependencies, ...store }
  const holders = new AdminHolders(around)
  const signIns = new SignIns({ ...around, door: 'admin' })
  return {
    signIns,
    every: dependencies.every,
    authenticate: createAdminAuthenticator({
      holders,
      signIns,
      ownOrigin: () => new URL(publicUrl()).origin,
    }),
    keys: new AdminKeyDesk(around),
    sessions: { holders, signIns, ...dependencies },
  }
}
