// Makes the desks that organisers work at and teams get their keys from: who may manage, codes, walls, corrections and notes.
import { randomBytes } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { digestAdminKey } from '../config/join-key.ts'
import { createTrustedAddresses } from '../config/listener-settings.ts'
import type { Secrets } from '../config/secrets.ts'
import { CallCorrections } from '../directory/correction-commands.ts'
import type { Directory } from '../directory/create-directory.ts'
import { createSecureCheck } from '../http/client-address.ts'
import type { Ledger } from '../limits/start-ledger.ts'
import { ClaimDesk } from '../people/claim-desk.ts'
import { JoinDesk } from '../people/join-desk.ts'
import { WallDesk } from '../people/wall-desk.ts'
import type { DoorAddresses } from '../process/door-addresses.ts'
import type { Store } from '../store/store.ts'
import { every } from '../world/timers.ts'
import { type Access, createAccess } from './create-access.ts'
import { createNoteDesk } from './create-note-desk.ts'
import type { NoteDesk } from './note-desk.ts'

export type DesksParts = {
  readonly config: Pick<Config, 'trustedProxies'>
  readonly secrets: Pick<Secrets, 'adminKey' | 'joinKey'>
  readonly store: Store
  readonly directory: Directory
  readonly ledger: Pick<Ledger, 'limits' | 'lease'>
  readonly addresses: DoorAddresses
  /** Unix ms. */
  readonly clock: () => number
}

export type Desks = {
  readonly access: Access
  /** The codes of teams, and what a code opens. */
  readonly claims: ClaimDesk
  readonly join: JoinDesk
  readonly walls: WallDesk
  readonly corrections: CallCorrections
  readonly notes: NoteDesk
  /** Whether a request came over https. */
  readonly isSecure: ReturnType<typeof createSecureCheck>
}

export function createDesks(parts: DesksParts): Desks {
  const { config, secrets, store, directory, ledger, addresses, clock } = parts
  const { read, write } = store
  const newId = () => Bun.randomUUIDv7()
  const isSecure = createSecureCheck(createTrustedAddresses(config.trustedProxies))
  const codes = { directory, read, write, clock, randomBytes, addresses: addresses.ofClients }
  return {
    isSecure,
    access: createAccess({
      clock,
      randomBytes,
      isSecure,
      every,
      store,
      adminKey: secrets.adminKey,
      adminKeyDigest: digestAdminKey(secrets.joinKey, secrets.adminKey),
      newId,
      publicUrl: addresses.ofAdmin,
    }),
    claims: new ClaimDesk({ ...codes, newId }),
    join: new JoinDesk(codes),
    walls: new WallDesk({
      read,
      write,
      clock,
      randomBytes,
      newId,
      timeZone: () => directory.event().timeZone,
    }),
    corrections: new CallCorrections({
      read,
      write,
      limits: ledger.limits,
      directory,
      slot: () => ledger.lease.process().slot,
      clock,
      newId,
    }),
    notes: createNoteDesk({ store, directory, clock }),
  }
}
