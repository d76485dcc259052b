// The processes of a campaign: now and then one is killed, ended or frozen, and restarted at once; their database may crash too.

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { type Figures, readFigures } from '../hostile/hostile-fairgate.ts'
import { createManagement, type Management } from '../management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../spawn-fairgate.ts'
import { adminKey, type Surroundings } from '../start-fairgate.ts'
import { type Account, type Interruption, isStorageTrouble, type StorageTrouble } from './account.ts'
import type { Dice } from './dice.ts'
import { failWrites, starveDescriptors, stormLock } from './trouble-storage.ts'

/** Far beyond the drain of ten seconds, so that only a process that hangs is reported, even on a busy machine. */
const longestEndMs = 120_000

/** How long the server may take to find that the database is back. */
const recoveryMs = 5000

export type ServerUnderChaos = {
  /** One running process. */
  readonly current: () => SpawnedFairgate
  /** All running processes. */
  readonly members: () => readonly SpawnedFairgate[]
  readonly manage: () => Management
  readonly figures: () => Promise<Figures>
  /** Resolves when a process is running again. */
  readonly ready: () => Promise<void>
  /** True if a connection that broke in this time is expected. */
  readonly wasInterrupted: (from: number, to: number) => boolean
  readonly disturb: () => Promise<void>
  /** Ends the last ones in order. */
  readonly stop: () => Promise<void>
}

export type Disturbances = {
  readonly processes: number
  /** Ends the database at once and restarts it after this many milliseconds; null if the campaign must not. */
  readonly crashDatabase: ((downMs: number) => Promise<void>) | null
}

/** A place for a process; its process changes. */
type Member = { server: SpawnedFairgate; isThere: boolean }

export async function startUnderChaos(
  place: Surroundings,
  dice: Dice,
  account: Account,
  { processes, crashDatabase }: Disturbances,
): Promise<ServerUnderChaos> {
  const spawn = () => spawnFairgate({ variables: place.variables })
  const first: Member = { server: await spawn(), isThere: true }
  const others = Array.from({ length: processes - 1 }, async () => ({ server: await spawn(), isThere: true }))
  const members: readonly Member[] = [first, ...(await Promise.all(others))]
  let isReady = Promise.resolve()
  /** The last write of the windows, as of the last SIGKILL. */
  let windowsWrittenAt: number | null = null
  /** The start of the interruption in progress. */
  let underWay: number | null = null

  const present = () => members.filter(({ isThere }) => isThere).map(({ server }) => server)
  const current = (): SpawnedFairgate => {
    const there = present()
    // Between two runs of the only process any address will do.
    return there.length === 0 ? first.server : dice.pick(there)
  }

  const noteMost = (name: string, value: number) => {
    account.figures[name] = Math.max(account.figures[name] ?? 0, value)
  }

  const end = async (server: SpawnedFairgate): Promise<void> => {
    const asked = Date.now()
    server.kill('SIGTERM')
    const code = await Promise.race([server.exited, Bun.sleep(longestEndMs).then(() => null)])
    if (code === null) {
      account.violate('SIGTERM without an end', `still there after ${longestEndMs / 1000} s`)
      server.kill('SIGKILL')
      await server.exited
      return
    }
    noteMost('longest SIGTERM, ms', Date.now() - asked)
    if (code !== 0) account.violate('SIGTERM with an exit code', `${code}: ${server.output().slice(-500)}`)
  }

  const replace = async (member: Member, kind: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    member.isThere = false
    if (kind === 'SIGKILL') {
      member.server.kill('SIGKILL')
      await member.server.exited
      windowsWrittenAt = place.databaseUrl === null ? readWindowsWrittenAt(place.dataFolder) : null
    } else await end(member.server)
    const started = Date.now()
    member.server = await spawn()
    member.isThere = true
    noteMost('longest start, ms', Date.now() - started)
  }

  /** With neighbours also past its lease: they have taken over its work by then, and it must do no harm when it resumes. */
  const freeze = async ({ server }: Member): Promise<void> => {
    process.kill(server.pid, 'SIGSTOP')
    await Bun.sleep(dice.integer(500, processes > 1 ? 9000 : 4000))
    process.kill(server.pid, 'SIGCONT')
  }

  const troubles: readonly StorageTrouble[] = [
    'descriptors',
    'lock',
    // The files of PostgreSQL are not the server's.
    ...(place.databaseUrl === null ? (['writes'] as const) : []),
    ...(crashDatabase === null ? [] : (['database'] as const)),
  ]

  const chooseKind = (): Interruption['kind'] => {
    if (dice.chance(0.4)) return dice.pick(troubles)
    const turn = dice.roll()
    return turn < 0.5 ? 'SIGKILL' : turn < 0.85 ? 'SIGTERM' : 'SIGSTOP'
  }

  const carryOut = async (kind: Interruption['kind']): Promise<void> => {
    if (kind === 'database') return crashDatabase?.(dice.integer(0, 5000))
    if (kind === 'lock') return stormLock(place, dice.integer(200, 4000))
    const member = dice.pick(members)
    if (kind === 'descriptors') return starveDescriptors(member.server.pid, dice.integer(500, 5000))
    if (kind === 'writes') return failWrites(member.server.pid, dice.integer(500, 4000))
    if (kind === 'SIGSTOP') return freeze(member)
    const replaced = replace(member, kind)
    if (processes === 1) isReady = replaced.catch(() => undefined)
    return replaced
  }

  return {
    current,
    members: present,
    manage: () => createManagement(current().adminUrl, adminKey),
    figures: () => readFigures(current().adminUrl),
    ready: () => isReady,
    wasInterrupted: (from, to) =>
      (underWay !== null && underWay <= to) ||
      account.interruptions.some(interruption => interruption.from <= to && interruption.to >= from),
    disturb: async () => {
      const kind = chooseKind()
      const from = Date.now()
      underWay = from
      windowsWrittenAt = null
      account.count(kind)
      await carryOut(kind)
      const graceMs = isStorageTrouble(kind) ? recoveryMs : 0
      account.interruptions.push({ kind, from, to: Date.now() + graceMs, windowsWrittenAt })
      underWay = null
    },
    stop: async () => {
      await Promise.all(present().map(end))
    },
  }
}

/** Unix ms by the wall clock; null while nothing was written. */
function readWindowsWrittenAt(dataFolder: string): number | null {
  const database = new Database(join(dataFolder, 'fairgate.db'), { readonly: true })
  try {
    const row = database
      .query<{ wall_at: number }, []>('select wall_at from window_rows order by sequence desc limit 1')
      .get()
    return row?.wall_at ?? null
  } finally {
    database.close()
  }
}
