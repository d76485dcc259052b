// The account of a campaign: facts seen by clients and organisers, to check ledger, windows and logbook against.
import type { Endpoint } from '../hostile/endpoints.ts'

export type ChaosCall = {
  readonly team: string
  /** The key's first secret. */
  readonly key: string
  /** The secret that the call uses. */
  readonly secret: string
  readonly endpoint: Endpoint
  /** Its mark in the upstream's log. */
  readonly mark: string
  readonly fault: string | null
  readonly idempotencyKey: string | null
  /** Maximum queue time (ms); null: the server's setting. Otherwise all 20 clients would soon wait for a busy model. */
  readonly patienceMs: number | null
  readonly sentAt: number
  answeredAt: number
  /** 0 for a connection that broke before a reply. */
  status: number
  callId: string | null
  /** Cost from the header, in nano-dollars. */
  cost: number | null
  /** The client stopped reading by itself. */
  hasLeft: boolean
  /** True if read to its end. */
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

/** A limit from the moment of its request; it applied at the latest at `inForceAt`. */
export type LimitChange = {
  readonly scope: string
  readonly limit: number
  readonly askedAt: number
  readonly inForceAt: number
}

/** `database`: the database crashes. The others end by themselves. */
const storageTroubles = ['database', 'descriptors', 'writes', 'lock'] as const
export type StorageTrouble = (typeof storageTroubles)[number]

export function isStorageTrouble(kind: string): kind is StorageTrouble {
  return storageTroubles.some(trouble => trouble === kind)
}

export type Interruption = {
  readonly kind: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | StorageTrouble
  readonly from: number
  readonly to: number
  /** For a SIGKILL on SQLite: the last write of the windows. The next process has nothing later. */
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
  /** Reports a violation with the time since the start and the facts to reproduce it; equal violations only a few times. */
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
