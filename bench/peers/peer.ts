// Describes a program of `npm run bench:peers`: how it is installed and started, and how its budgets and records are used.
import type { Place } from './place.ts'

/** Where one client of a peer sends its calls, and with what. */
export type Client = {
  /** The tenant, job, key or endpoint that has the budget. */
  readonly account: string
  readonly url: string
  readonly model: string
  /** A header with several values has the next one in each call. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

export type RunningPeer = {
  /** The client of the load. Its budget, if the peer has budgets, is checked in each call and never spent. */
  readonly client: Client
  /** A client whose budget pays for exactly so many calls with `replyTokens.output` output tokens. Absent if the peer has no budgets. */
  readonly capClient?: (calls: number) => Promise<Client>
  /** How many calls of a capped client its budget has been charged for. */
  readonly countCharged?: (account: string) => Promise<number>
  /** How many calls of a capped client can be looked up one by one. */
  readonly countOnRecord?: (account: string) => Promise<number>
}

export type Peer = {
  /** Its name in `BENCH_PEERS`. */
  readonly id: string
  /** Where it is installed, if not in a folder of its own name. */
  readonly folder?: string
  readonly title: string
  readonly version: string
  /** What was configured beyond the address of the upstream. */
  readonly setup: string
  /** What its keys and budgets are, or why there are none. */
  readonly keys: string
  readonly budgets: string
  readonly log: string
  /** Puts it into `folder`, its own, which a later run reuses. Throws an Error that says in a few words why it cannot be installed. */
  readonly install: (folder: string) => Promise<void>
  /** Starts it, or starts it again on what an earlier start left in the place. */
  readonly start: (place: Place) => Promise<RunningPeer>
}

/** Budgets of the tests, in calls: what a race of 200 may get, and more than the test with a crash needs. */
export const cappedCalls = [57, 10_000] as const

/** Over a connection of its own: one that is kept is dead when a peer has been killed and started again. */
export async function requestJson<Reply>(
  url: string,
  headers: Client['headers'],
  body?: object,
): Promise<Reply> {
  const reply = await fetch(url, {
    keepalive: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...(headers as Record<string, string>) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${(await reply.text()).slice(0, 200)}`)
  return (await reply.json()) as Reply
}
