// Describes a peer of `npm run bench:peers`: how to install and start it, and how to use its budgets and records.
import type { Place } from './place.ts'

/** Address, headers and model for the calls of one client of a peer. */
export type Client = {
  /** The tenant, job, key or endpoint that has the budget. */
  readonly account: string
  readonly url: string
  readonly model: string
  /** A header with multiple values uses the next one in each call. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

export type RunningPeer = {
  /** The client of the load. Its budget, if the peer has budgets, is checked in each call and never spent. */
  readonly client: Client
  /** A client with a budget for exactly this many calls with `replyTokens.output` output tokens. Absent if the peer has no budgets. */
  readonly capClient?: (calls: number) => Promise<Client>
  /** Number of a capped client's calls that its budget was charged for. */
  readonly countCharged?: (account: string) => Promise<number>
  /** Number of a capped client's calls that can be looked up individually. */
  readonly countOnRecord?: (account: string) => Promise<number>
}

export type Peer = {
  /** Its name in `BENCH_PEERS`. */
  readonly id: string
  /** Its installation folder, if that does not have its own name. */
  readonly folder?: string
  readonly title: string
  readonly version: string
  /** Configuration besides the upstream's address. */
  readonly setup: string
  /** Its keys and budgets, or why it has none. */
  readonly keys: string
  readonly budgets: string
  readonly log: string
  /** Installs it into its own `folder`, which a later run reuses. Throws an Error with a short reason if it cannot be installed. */
  readonly install: (folder: string) => Promise<void>
  /** Starts it, or restarts it on the data of an earlier start. */
  readonly start: (place: Place) => Promise<RunningPeer>
}

/** Test budgets, in calls: for a race of 200, and more than the crash test needs. */
export const cappedCalls = [57, 10_000] as const

/** Uses a new connection, because a kept one is dead after a peer has been killed and restarted. */
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
