// Runs one turn of a conversation with a chat model, in any dialect: plans it, fetches its images, and answers it whole or in
// pieces. A dialect provides the writer of its pieces and the body of its whole answer.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Catalog, CatalogModel } from '../../catalog/types.ts'
import { hasFiles, type InlineFiles } from '../../files/inline-files.ts'
import type { Call } from '../../http/call.ts'
import { streamOf } from '../../http/server-sent-events.ts'
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
  WholeAnswer,
} from './plan-chat.ts'

/** Dependencies of the dialects' routes. */
export type TurnDependencies = ChatPlanDependencies & {
  readonly paidCall: RunPaidCall
  readonly paidStream: RunPaidStream
  readonly catalog: Catalog
  readonly upstream: Pick<ChatUpstream, 'complete' | 'stream'>
  /** Fetches the images that a request only references, and inserts them. */
  readonly inlineImages: InlineImages
  /** Reads the uploaded files that a request names, and inserts them. */
  readonly inlineFiles: InlineFiles
  /** Unix ms. */
  readonly clock: () => number
  readonly maxBodyBytes: number
}

export type Turn = {
  readonly endpoint: ChatEndpoint
  readonly model: CatalogModel
  /** The request in chat form. */
  readonly conversation: Conversation
  readonly isStreamed: boolean
  readonly createWriter: () => AnswerWriter
  /** `created`: Unix seconds. Throws ApiError if the answer is a refusal. A promise if the answer has to be stored first. */
  readonly buildBody: (results: Results<ChatResult>, created: number) => object | Promise<object>
  /** Rewrites the error about an image or file that cannot be fetched, for clients that name the place in the request differently. */
  readonly explainImage?: (failure: unknown) => unknown
}

/** Throws ApiError like the runners of paid calls, and `file_not_found`. */
export function answerTurn(
  dependencies: TurnDependencies,
  caller: Caller,
  call: Call,
  turn: Turn,
): Promise<Response> {
  return hasFiles(turn.conversation)
    ? answerWithFiles(dependencies, caller, call, turn)
    : answerWhole(dependencies, caller, call, turn)
}

/** Files are read before the plan: they are measured like media in the request. */
async function answerWithFiles(
  dependencies: TurnDependencies,
  caller: Caller,
  call: Call,
  turn: Turn,
): Promise<Response> {
  const { explainImage = failure => failure } = turn
  const { conversation, release } = await dependencies
    .inlineFiles(turn.conversation, turn.model, caller.team.teamId, call.signal)
    .catch(failure => Promise.reject(explainImage(failure)))
  let stream: ReturnType<typeof streamOf>
  try {
    const response = await answerWhole(dependencies, caller, call, { ...turn, conversation })
    stream = streamOf(response)
    return response
  } finally {
    if (stream === undefined) release()
    else void stream.ended.then(release)
  }
}

function answerWhole(
  dependencies: TurnDependencies,
  caller: Caller,
  call: Call,
  turn: Turn,
): Promise<Response> {
  const { paidCall, paidStream, upstream, inlineImages, clock } = dependencies
  const { conversation, explainImage = failure => failure } = turn
  // Few calls ask for the signal, and it is not free.
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
        const calls = await translate(admitted)
        const writer = turn.createWriter()
        return new AnswerPieces({ admitted, plan, writer, calls, upstream, clock })
      },
    })
  }
  return paidCall(caller, call, {
    plan,
    translate,
    ask: asked => upstream.complete(asked, null, caller.team.teamId),
    answerOf: results => new WholeAnswer(results),
    respond: (results, headers) => {
      const body = turn.buildBody(results, Math.floor(clock() / 1000))
      return body instanceof Promise
        ? body.then(stored => Response.json(stored, { headers }))
        : Response.json(body, { headers })
    },
  })
}

// Errors for agents about an answer that has no content: the upstream calls it complete, but there is nothing in it to continue with.

const messages: Readonly<Record<AnswerFault, string>> = {
  malformed_call: 'The model made a malformed tool call. Send the request again.',
  empty: 'The model returned an empty answer. Send the request again.',
}

/** The cost of the answer is charged anyway. Chat shows such an answer as it is, as it always has. */
export function explainFault(fault: AnswerFault): ApiError {
  return new ApiError('upstream_error', { message: messages[fault] })
}
