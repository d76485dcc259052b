// Interfaces to upstreams that get their own API's requests from clients: the vendor's for the pass-through, Anthropic's for Messages.
import { ApiError, type ApiErrorDetails } from '@fairgate/contracts/errors/api-error.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import type { GeminiErrorBody } from '@fairgate/contracts/gemini/replies.ts'
import type { CatalogModel } from '../catalog/types.ts'
import type { UpstreamStream } from './exchange.ts'
import type { Asker } from './key-ring.ts'
import type { LargeFiles } from './large-files.ts'
import type { Served, UsageReport } from './port.ts'

export type RelayVerb =
  | 'generateContent'
  | 'streamGenerateContent'
  | 'countTokens'
  | 'embedContent'
  | 'batchEmbedContents'
  | 'predict'

/** Headers by which the client names its SDK of the vendor; empty for all others. */
export type ClientNames = Readonly<Partial<Record<'x-goog-api-client' | 'user-agent', string>>>

export type RelayCall = {
  readonly model: CatalogModel
  readonly verb: RelayVerb
  /** A stream as events; without it, as one JSON array. */
  readonly asEvents?: boolean
  /** For the upstream, with its own model ids. */
  readonly body: Uint8Array
  /** Named in the body by their marks. */
  readonly largeFiles?: LargeFiles | undefined
  readonly names?: ClientNames
}

/** For upstreams that do not name their content type. */
export const usualRelayType = 'application/json; charset=UTF-8'

export type RelayedReply = Served & {
  readonly contentType: string
  readonly body: Uint8Array
}

/** A reply under way, as it is sent. */
export type RelayedStream = Omit<UpstreamStream, 'endWithin'>

/** Every method throws RelayedError for a refusal of the upstream, otherwise ApiError `upstream_*`. */
export type GeminiRelay = {
  /** Runs to its end even if the client has left. */
  readonly call: (call: RelayCall, team: Asker) => Promise<RelayedReply>
  readonly open: (call: RelayCall, signal: AbortSignal, team: Asker) => Promise<RelayedStream>
  /** The exact tokens of a countTokens body as input, free of charge; absent if the upstream cannot say. */
  readonly countTokens: (
    model: CatalogModel,
    body: object,
    team: Asker,
    largeFiles?: LargeFiles,
  ) => Promise<UsageReport>
}

/** A request in the format of Anthropic's Messages, with the upstream's model id. */
export type MessagesCall = {
  readonly model: CatalogModel
  readonly body: object
  /** The header `anthropic-beta`; null for none. */
  readonly betas: string | null
}

/** Every method throws ApiError `upstream_*`. */
export type MessagesRelay = {
  /** Runs to its end even if the client has left. */
  readonly call: (call: MessagesCall, team: Asker) => Promise<RelayedReply>
  readonly open: (call: MessagesCall, signal: AbortSignal, team: Asker) => Promise<UpstreamStream>
  /** Exact input tokens, free of charge. `body` has no members that apply only to the answer. */
  readonly countTokens: (call: MessagesCall, signal: AbortSignal, team: Asker) => Promise<number>
}

/** An error of the upstream that is about the request: the client of the pass-through gets it in the vendor's own words. */
export class RelayedError extends ApiError {
  readonly geminiError: GeminiErrorBody['error']

  constructor(code: ErrorCode, details: ApiErrorDetails, geminiError: GeminiErrorBody['error']) {
    super(code, details)
    this.name = 'RelayedError'
    this.geminiError = geminiError
  }
}
