// The record of a call: who made it, with which tool, how it ended, and digests of its texts for joining it with log entries.
import type { RefusalFigures } from '@fairgate/contracts/errors/api-error.ts'
import type { ChargeFlag, ChargeOutcome } from './charge.ts'
import type { Units } from './price.ts'

/**
 * `refused`: by a limit, a rule or a check, before the upstream was asked. `failed`: after that, or without an answer of the upstream.
 * `replayed`: the answer of an earlier call with the same Idempotency-Key was sent again.
 */
export type CallOutcome = Exclude<ChargeOutcome, 'refunded'> | 'refused' | 'replayed'

/** The program that made the call, by its own claim: none of this is proven. */
export type CallClient = {
  /** The tool's own id of its session; null if it sends none. */
  readonly sessionId: string | null
  /** Where that id was found: the name of a header, or `body`. */
  readonly sessionSource: string | null
  /** The session that started this one, for tools with sub-agents. */
  readonly parentSession: string | null
  /** The tool family as the logbook names it, such as `claude`; null for other programs. */
  readonly tool: string | null
  readonly userAgent: string | null
  /** Depends on how far the proxies in front are trusted. */
  readonly address: string | null
}

/** Keyed digests, 16 bytes each in base64, of the newest texts, oldest first. No text is kept. */
export type CallTexts = {
  readonly prompts: readonly string[]
  readonly results: readonly string[]
  /** Digest of the final text of the answer; null if there is none. */
  readonly answer: string | null
}

/** The newest texts of a call as they came, oldest first. */
export type SpokenTexts = {
  /** What the person wrote. */
  readonly prompts: readonly string[]
  /** Results that tools returned. */
  readonly results: readonly string[]
  readonly answer: string | null
}

/** Facts about a call besides its charge. */
export type CallFacts = {
  /** The error code that the client got; null for a success, or if no client got it. */
  readonly code: string | null
  /** As the client wrote it; null if the call did not get that far. */
  readonly modelAsked: string | null
  readonly client: CallClient
  /** From the arrival of the request to the first byte of the answer; null if there was none, or the answer came whole. */
  readonly firstByteMs: number | null
  /** The upstream's name in the configuration, and the id of the key used for it. */
  readonly upstream: string | null
  readonly upstreamKey: string | null
  readonly texts: CallTexts | null
}

/** One row of the table of calls. Equal refusals in a row are one record, with their count and the time of the last. */
export type CallRecord = CallFacts & {
  readonly callId: string
  readonly teamId: string
  readonly keyHash: string
  /** The kind of call, as the ledger names it. */
  readonly endpoint: string
  readonly modelServed: string | null
  readonly outcome: CallOutcome
  /** The HTTP status that the client got; null if no answer could be sent. */
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
  /** How many calls this record represents, and when the last of them came (Unix ms). */
  readonly count: number
  readonly lastAt: number
}
