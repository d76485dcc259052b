// What a campaign's clients and organisers saw: the facts that the ledger, the windows and the logbook are held against.
import type { Endpoint } from '../hostile/endpoints.ts'

export type ChaosCall = {
  readonly team: string
  /** The key's first secret. */
  readonly key: string
  /** The one that the call uses. */
  readonly secret: string
  readonly endpoint: Endpoint
  /** How the upstream's log knows it. */
  readonly mark: string
  readonly fault: string | null
  readonly idempotencyKey: string | null
  /** How long it may wait in line (ms); null: as the server is set. With 20 clients, all of them would soon wait for a model that is busy. */
  readonly patienceMs: number | null
  readonly sentAt: number
  answeredAt: number
  /** 0 for a connection that broke before a reply. */
  status: number
  callId: string | null
  /** From the header, in nano-dollars. */
  cost: number | null
  /** The client stopped reading by itself. */
  hasLeft: boolean
  /** Read to its end. */
  isWhole: boolean
  /** A replay's first call. */
  originalCallId: string | null
  errorCode: string | null
  /** The digest of the body of a whole answer. */
  digest: string | null
  /** The last characters of a stream: whether it was finished, or ended with an error. */
  ending: string
  readonly prompt: string
}

/** A limit from the moment it was asked for; it was in force at the latest at `inForceAt`. */
export type LimitChange = {
  readonly scope: string
  readonly limit: number
  readonly askedAt: number
  readonly inForceAt: number
}

/** `database`: it crashes. The others pass by themselves. */
const storageTroubles = ['database', 'descriptors', 'writes', 'lock'] as const
export type StorageTrouble = (typeof storageTroubles)[number]

export function isStorageTrouble(kind: string): kind is StorageTrouble {
  return storageTroubles.some(trouble => trouble === kind)
}

export type Interruption = {
  readonly kind: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | StorageTrouble
  readonly from: number
  readonly to: number
  /** Of a SIGKILL on SQLite: when what the windows held was written last. The next process knows no more. */
  readonly windowsWrittenAt: number | null
}

export type Account = {
  readonly calls: ChaosCall[]
  /** Marks of entries → whether the batch was acknowledged. */
  readonly entries: { readonly team: string; readonly mark: string; readonly isAcknowledged: boolean }[]
  readonly limits: LimitChange[]
  readonly interruptions: Interruption[]
  readonly violations: string[]
  readonly figures: Record<string, number>
  /** With the time since the start and the facts that reproduce it; equal ones are told a few times only. */
  readonly violate: (kind: string, facts: string) => void
  readonly count: (name: string, by?: number) => void
}

const reportedOfEach = 8

export function createAccount(startedAt: number): Account {
  const violations: string[] = []
  const reported = new Map<string, number>()
  const figures: Record<string, number> = {}
  return {
    calls: [],
    entries: [],
    limits: [],
    interruptions: [],
    violations,
    figures,
    violate: (kind, facts) => {
      const times = (reported.get(kind) ?? 0) + 1
      reported.set(kind, times)
      figures[`violation: ${kind}`] = times
      if (times > reportedOfEach) return
      const line = `${((Date.now() - startedAt) / 1000).toFixed(1)} s: ${kind}: ${facts}`
      violations.push(line)
      console.log(`VIOLATION ${line}`)
    },
    count: (name, by = 1) => {
      figures[name] = (figures[name] ?? 0) + by
    },
  }
}
