// Makes what lets organisers in: admin keys, who is signed in, and the check of each request.

import { AdminHolders } from '../people/admin-holders.ts'
import { AdminKeyDesk, type AdminKeyDeskDependencies } from '../people/admin-key-desk.ts'
import type { Every } from '../people/serve-live.ts'
import { SignIns } from '../people/sign-ins.ts'
import type { Store } from '../store/store.ts'
import type { AdminDependencies } from './app.ts'
import { createAdminAuthenticator } from './authenticate-admin.ts'
import type { SessionDependencies } from './session-routes.ts'

export type AccessDependencies = {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly adminKey: string
  readonly adminKeyDigest: string
  readonly clock: () => number
  readonly randomBytes: AdminKeyDeskDependencies['randomBytes']
  readonly newId: () => string
  readonly every: Every
  /** Of the admin door, without a slash at its end. */
  readonly publicUrl: () => string
  readonly isSecure: SessionDependencies['isSecure']
}

export type Access = AdminDependencies['access'] & { readonly signIns: SignIns }

export function createAccess(dependencies: AccessDependencies): Access {
  const { store, clock, randomBytes, newId, every, publicUrl, isSecure } = dependencies
  const { read, write } = store
  const holders = new AdminHolders({ ...dependencies, read })
  const signIns = new SignIns({ door: 'admin', read, write, clock, randomBytes })
  return {
    signIns,
    every,
    authenticate: createAdminAuthenticator({
      holders,
      signIns,
      ownOrigin: () => new URL(publicUrl()).origin,
    }),
    keys: new AdminKeyDesk({ read, write, clock, randomBytes, newId }),
    sessions: { holders, signIns, isSecure, publicUrl },
  }
}
