// The gateway pipeline's interface to a chat upstream of any kind: one call, its result or its events, its usage.
import type { DataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type {
  Annotation,
  FinishReason,
  ThinkingBlock,
  TokenLogprob,
  ToolCall,
} from '@fairgate/contracts/chat/response.ts'
import type { Tool } from '@fairgate/contracts/chat/tools.ts'
import type { CatalogModel } from '../catalog/types.ts'
import type { TokenCounts, Units } from '../ledger/price.ts'
import type { Asker } from './key-ring.ts'
import type { LargeFiles } from './large-files.ts'

/**
 * Token counts of one upstream call; every member is a non-negative safe integer. Input includes cached tokens (vendor:
 * promptTokenCount + toolUsePromptTokenCount), output includes reasoning.
 */
export type TokenUsage = TokenCounts

/** `absent`: a success without usage. `invalid`: negative, fractional or absurd figures. Both are charged at the hold. */
export type UsageReport =
  /** `isEstimated`: the output so far is our estimate. */
  | { readonly kind: 'reported'; readonly usage: TokenUsage; readonly isEstimated?: true }
  /** Things that we count ourselves, for billing other than by tokens: images, songs, seconds. */
  | { readonly kind: 'counted'; readonly units: Units }
  | { readonly kind: 'absent' }
  /** `said`: the figures as received, for the operator. */
  | { readonly kind: 'invalid'; readonly said?: unknown }

/** How much a model thinks before it answers, if a dialect specifies it more finely than `reasoning_effort`. */
export type Thinking = {
  /** Tokens. `auto`: the model decides. null: by `reasoning_effort`. */
  readonly budget: number | 'auto' | null
  /** True if the answer should show the thoughts. */
  readonly isShown: boolean
}

/**
 * A turn in our own form. Every dialect, chat included, builds it member by member from what its schema has checked: a body that is used as
 * it was sent would let clients set the members that are only ours.
 */
export type Conversation = Omit<ChatRequest, 'thinking' | 'tools' | 'functions'> & {
  readonly tools?: readonly Tool[] | null
  readonly thinking?: Thinking
  /** Files that parts name by `file_id`, because they are too large to be inserted. */
  readonly largeFiles?: LargeFiles
}

export type ChatCall = {
  readonly request: Conversation
  readonly model: CatalogModel
  /** Max output tokens, as really sent upstream. */
  readonly outputCap: number
  /** The same for the models that may serve instead, if it has certainly done nothing. */
  readonly fallbacks?: readonly ChatCall[]
}

/** The vendor's data about a whole answer, passed on unchanged; null if there is none. */
export type AnswerMetadata = {
  readonly citationMetadata: unknown
  readonly groundingMetadata: unknown
  readonly urlContextMetadata: unknown
}

/**
 * An empty answer, although the upstream calls it complete: a malformed tool call, or nothing at all. It is charged like any other;
 * an agent must not take it for the end of its turn.
 */
export type AnswerFault = 'malformed_call' | 'empty'

export type ChatChoice = AnswerMetadata & {
  readonly index: number
  readonly text: string | null
  readonly reasoning: string | null
  readonly thinkingBlocks: readonly ThinkingBlock[]
  readonly toolCalls: readonly ToolCall[]
  readonly images: readonly DataUrl[]
  /** In the upstream's own format: raw PCM, as its type says. */
  readonly audio: DataUrl | null
  readonly annotations: readonly Annotation[]
  readonly logprobs: readonly TokenLogprob[] | null
  readonly finishReason: FinishReason
  readonly safetyRatings: readonly unknown[] | null
  readonly fault?: AnswerFault
}

/** The upstream that answered, if known. */
export type Served = {
  /** The id of our key that was used; null if the upstream needs none. */
  readonly upstreamKey?: string | null
  /** The model that answered in place of the requested one. */
  readonly servedBy?: CatalogModel
}

export type ChatResult = Served & {
  /** The upstream's response id, or null if it sent none. */
  readonly responseId: string | null
  readonly choices: readonly ChatChoice[]
  readonly usage: UsageReport
}

export type ChatEvent =
  | {
      readonly type: 'text-delta'
      readonly text: string
      /** Log probabilities of the tokens of this text, if requested. */
      readonly logprobs?: readonly TokenLogprob[]
    }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** State of the model to be sent back with the message. */
  | { readonly type: 'signature'; readonly signature: string }
  /** A whole call: arguments do not come in pieces. `isMeasured`: its output was reported as progress before. */
  | { readonly type: 'tool-call'; readonly call: ToolCall; readonly isMeasured?: true }
  /** Output that is under way and cannot be shown yet: so many characters of a call's arguments. */
  | { readonly type: 'progress'; readonly characters: number }
  | { readonly type: 'image'; readonly image: DataUrl }
  | { readonly type: 'audio-delta'; readonly audio: DataUrl }
  /** Sent once, before the finish, if there is any. */
  | ({ readonly type: 'metadata'; readonly annotations: readonly Annotation[] } & AnswerMetadata)
  /** Usage was reported: `ChatStream.usage` has it. */
  | { readonly type: 'usage' }
  /** Sent once, after the last delta. */
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly fault?: AnswerFault }

/** A streamed answer under way. It must be closed, or its signal aborted: both stop the upstream. */
export type ChatStream = Served & {
  /** The events of one read of the upstream, so that they can leave in one write: at least one, and null at the end. Throws ApiError. */
  readonly read: () => Promise<readonly ChatEvent[] | null>
  /** The upstream's reported usage so far, read from its figures only on request; null before the first. */
  readonly usage: () => UsageReport | null
  /** May be called again. */
  readonly close: () => void
}

/**
 * One upstream of modality chat. It does not handle `n`: the pipeline makes `n` calls of one choice each. `team`: refusals count against
 * its own use of a key first. Every method throws ApiError (`upstream_*`) on failure; `UpstreamFailure.usage` is set if the failed call
 * reported usage.
 */
export type ChatUpstream = {
  /** `signal` is null for a call that is not to be stopped. */
  readonly complete: (call: ChatCall, signal: AbortSignal | null, team: Asker) => Promise<ChatResult>
  /** Resolves when the upstream has answered 200; events are read as they arrive. */
  readonly stream: (call: ChatCall, signal: AbortSignal, team: Asker) => Promise<ChatStream>
  /** The exact input tokens of the call, free of charge; null if the upstream cannot count them. */
  readonly countTokens: (call: ChatCall, signal: AbortSignal, team: Asker) => Promise<number | null>
}
