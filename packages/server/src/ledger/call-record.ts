// What stays on record of a call: who made it, with which tool, what became of it, and digests of its texts for joining it with log entries.
import type { RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import type { ChargeFlag, ChargeOutcome } from './charge.ts'
import type { Units } from './price.ts'

/**
 * `refused`: by a limit, a rule or a check, before the upstream was asked. `failed`: afterwards, or without the upstream having
 * answered. `replayed`: the answer of an earlier call with the same Idempotency-Key was given again.
 */
export type CallOutcome = Exclude<ChargeOutcome, 'refunded'> | 'refused' | 'replayed'

/** Which program made the call, by what it says of itself: nothing of this is proven. */
export type CallClient = {
  /** The tool's own id of its session; null where it tells none. */
  readonly sessionId: string | null
  /** Where that id stood: the name of a header, or `body`. */
  readonly sessionSource: string | null
  /** The session that started this one, for tools that work with sub-agents. */
  readonly parentSession: string | null
  /** The family of the tool, as the logbook names it, such as `claude`; null for programs that are none. */
  readonly tool: string | null
  readonly userAgent: string | null
  /** As far as the proxies in front are trusted. */
  readonly address: string | null
}

/** Keyed digests, 16 bytes each in base64, of the newest texts, the oldest of them first. No text is kept. */
export type CallTexts = {
  readonly prompts: readonly string[]
  readonly results: readonly string[]
  /** Of the final text of the answer; null when there is none. */
  readonly answer: string | null
}

/** The newest texts of a call as they came, the oldest of them first. */
export type SpokenTexts = {
  /** What the person wrote. */
  readonly prompts: readonly string[]
  /** What tools gave back. */
  readonly results: readonly string[]
  readonly answer: string | null
}

/** What a call has besides its charge. */
export type CallFacts = {
  /** The code of the error that the client was told; null for a success, and where nobody was told. */
  readonly code: string | null
  /** As the client wrote it; null where the call did not come so far. */
  readonly modelAsked: string | null
  readonly client: CallClient
  /** From the arrival of the request to the first byte of the answer; null when there was none, or the answer came whole. */
  readonly firstByteMs: number | null
  /** The upstream's name in the configuration, and the id of the key of ours that it was asked with. */
  readonly upstream: string | null
  readonly upstreamKey: string | null
  readonly texts: CallTexts | null
}

/** One row of the table of calls. Equal refusals in a row are one record, with their number and the time of the last. */
export type CallRecord = CallFacts & {
  readonly callId: string
  readonly teamId: string
  readonly keyHash: string
  /** What kind of call it was, as the ledger names it. */
  readonly endpoint: string
  readonly modelServed: string | null
  readonly outcome: CallOutcome
  /** The HTTP status that the client was told; null where no answer could be given. */
  readonly status: number | null
  readonly refusal: RefusalFigures | null
  readonly units: Units
  /** Nano-dollars. */
  readonly cost: number
  readonly flag: ChargeFlag | null
  /** Unix ms. */
  readonly receivedAt: number
  readonly endedAt: number
  readonly durationMs: number
  /** How many calls this record stands for, and when the last of them came (Unix ms). */
  readonly count: number
  readonly lastAt: number
}
