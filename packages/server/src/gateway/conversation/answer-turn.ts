// One turn of a conversation with a chat model, whatever the dialect: it is planned, its images are fetched, and it is answered whole or
// in pieces. A dialect gives the writer of its pieces and the body of its whole answer.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Catalog, CatalogModel } from '../../catalog/types.ts'
import type { Call } from '../../http/call.ts'
import type { AnswerFault, ChatCall, ChatResult, ChatUpstream, Conversation } from '../../upstream/port.ts'
import { hasRemoteImages, type InlineImages } from '../../upstream/remote-media/create-image-inliner.ts'
import type { Admitted } from '../flow/admitted.ts'
import type { Caller } from '../flow/authenticate.ts'
import type { Results, RunPaidCall } from '../flow/paid-call.ts'
import type { RunPaidStream } from '../flow/paid-stream.ts'
import { AnswerPieces, type AnswerWriter } from './answer-pieces.ts'
import {
  buildCalls,
  type ChatEndpoint,
  type ChatPlanDependencies,
  planChat,
  readAnswerText,
} from './plan-chat.ts'

/** What the routes of the dialects take. */
export type TurnDependencies = ChatPlanDependencies & {
  readonly paidCall: RunPaidCall
  readonly paidStream: RunPaidStream
  readonly catalog: Catalog
  readonly upstream: Pick<ChatUpstream, 'complete' | 'stream'>
  /** Fetches the images that a request only names, and puts them into it. */
  readonly inlineImages: InlineImages
  /** Unix ms. */
  readonly clock: () => number
  readonly maxBodyBytes: number
}

export type Turn = {
  readonly endpoint: ChatEndpoint
  readonly model: CatalogModel
  /** The request in the form of chat. */
  readonly conversation: Conversation
  readonly isStreamed: boolean
  readonly createWriter: () => AnswerWriter
  /** `created`: Unix seconds. Throws ApiError for an answer that is a refusal. */
  readonly buildBody: (results: Results<ChatResult>, created: number) => object
  /** What the client is told of an image that cannot be fetched, where its own request names the place in another way. */
  readonly explainImage?: (failure: unknown) => unknown
}

/** Throws ApiError like the runners of paid calls. */
export function answerTurn(
  dependencies: TurnDependencies,
  caller: Caller,
  call: Call,
  turn: Turn,
): Promise<Response> {
  const { paidCall, paidStream, upstream, inlineImages, clock } = dependencies
  const { conversation, explainImage = failure => failure } = turn
  // The signal is asked for by few calls, and not free.
  const plan = planChat(conversation, turn.model, () => call.signal, dependencies, turn.endpoint)
  const translate = (admitted: Admitted): ChatCall[] | Promise<ChatCall[]> =>
    hasRemoteImages(conversation)
      ? inlineImages(conversation, call.signal).then(
          whole => buildCalls(admitted, whole, plan),
          failure => Promise.reject(explainImage(failure)),
        )
      : buildCalls(admitted, conversation, plan)
  if (turn.isStreamed) {
    return paidStream(caller, call, {
      plan,
      translate: async admitted => {
        const writer = turn.createWriter()
        const calls = await translate(admitted)
        return new AnswerPieces({ admitted, plan, writer, calls, upstream, clock })
      },
    })
  }
  return paidCall(caller, call, {
    plan,
    translate,
    ask: asked => upstream.complete(asked, null, caller.team.teamId),
    answerOf: results => readAnswerText(results),
    respond: (results, headers) =>
      Response.json(turn.buildBody(results, Math.floor(clock() / 1000)), { headers }),
  })
}

// What an agent is told of an answer that is none: its upstream calls it complete, but there is nothing in it to go on with.

const messages: Readonly<Record<AnswerFault, string>> = {
  malformed_call: 'The model made a malformed tool call. Send the request again.',
  empty: 'The model returned an empty answer. Send the request again.',
}

/** What the answer cost is charged all the same. Chat shows such an answer as it is, as it always did. */
export function explainFault(fault: AnswerFault): ApiError {
  return new ApiError('upstream_error', { message: messages[fault] })
}
