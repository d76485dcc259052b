// The server of a campaign: killed, ended or frozen every now and then, started again at once, with its clients told where it is.

import { type Figures, readFigures } from '../hostile/hostile-fairgate.ts'
import { createManagement, type Management } from '../management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../spawn-fairgate.ts'
import { adminKey, type Surroundings } from '../start-fairgate.ts'
import type { Account, Interruption } from './account.ts'
import type { Dice } from './dice.ts'

/** Drain and some slack: the settings of a campaign give running calls ten seconds. */
const longestEndMs = 20_000

export type ServerUnderChaos = {
  readonly current: () => SpawnedFairgate
  readonly manage: () => Management
  readonly figures: () => Promise<Figures>
  /** Resolves when a server is there again. */
  readonly ready: () => Promise<void>
  /** True when a connection that broke in this time is no surprise. */
  readonly wasInterrupted: (from: number, to: number) => boolean
  readonly disturb: () => Promise<void>
  /** Ends the last one in order. */
  readonly stop: () => Promise<void>
}

export async function startUnderChaos(
  place: Surroundings,
  dice: Dice,
  account: Account,
): Promise<ServerUnderChaos> {
  let server = await spawnFairgate({ variables: place.variables })
  let isReady = Promise.resolve()
  /** Still going on: its end is not yet known. */
  let underWay: number | null = null

  const end = async (): Promise<void> => {
    const asked = Date.now()
    server.kill('SIGTERM')
    const code = await Promise.race([server.exited, Bun.sleep(longestEndMs).then(() => null)])
    if (code === null) {
      account.violate('SIGTERM without an end', `still there after ${longestEndMs / 1000} s`)
      server.kill('SIGKILL')
      await server.exited
      return
    }
    account.figures['longest SIGTERM, ms'] = Math.max(
      account.figures['longest SIGTERM, ms'] ?? 0,
      Date.now() - asked,
    )
    if (code !== 0) account.violate('SIGTERM with an exit code', `${code}: ${server.output().slice(-500)}`)
  }

  const replace = async (kind: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (kind === 'SIGKILL') {
      server.kill('SIGKILL')
      await server.exited
    } else await end()
    const started = Date.now()
    server = await spawnFairgate({ variables: place.variables })
    account.figures['longest start, ms'] = Math.max(
      account.figures['longest start, ms'] ?? 0,
      Date.now() - started,
    )
  }

  const freeze = async (): Promise<void> => {
    process.kill(server.pid, 'SIGSTOP')
    await Bun.sleep(dice.integer(500, 4000))
    process.kill(server.pid, 'SIGCONT')
  }

  return {
    current: () => server,
    manage: () => createManagement(server.adminUrl, adminKey),
    figures: () => readFigures(server.adminUrl),
    ready: () => isReady,
    wasInterrupted: (from, to) =>
      (underWay !== null && underWay <= to) ||
      account.interruptions.some(interruption => interruption.from <= to && interruption.to >= from),
    disturb: async () => {
      const turn = dice.roll()
      const kind: Interruption['kind'] = turn < 0.5 ? 'SIGKILL' : turn < 0.85 ? 'SIGTERM' : 'SIGSTOP'
      const from = Date.now()
      underWay = from
      account.count(kind)
      const done = kind === 'SIGSTOP' ? freeze() : replace(kind)
      if (kind !== 'SIGSTOP') isReady = done.catch(() => undefined)
      await done
      account.interruptions.push({ kind, from, to: Date.now() })
      underWay = null
    },
    stop: end,
  }
}
