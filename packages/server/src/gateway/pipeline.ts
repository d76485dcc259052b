// The life of a paid call, in order: (authenticate) → admit → translate → call upstream → meter → settle → respond.
//
//   Caller → Admitted → UpstreamCalls → Answered → Metered → Settled → Response
//
// Each stage takes only what the one before it returns. The door has authenticated before the body was read. Images that a
// request only names are fetched between admit and translate.
// Streams bend the order: see stream-call.ts. Calls of one answer that is not a chat turn: see media-call.ts.
// Between admit and settle the hold belongs to held-call.ts, on every way out.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { Catalog } from '../catalog/types.ts'
import type { Call } from '../http/call.ts'
import type { ChatResult, ChatUpstream } from '../upstream/port.ts'
import { hasRemoteImages, type InlineImages } from '../upstream/remote-media/create-image-inliner.ts'
import { buildCompletion } from './endpoints/chat-completions/build-completion.ts'
import { type ChatPlanDependencies, planChat } from './endpoints/chat-completions/plan-chat.ts'
import { findAllowedModel } from './find-allowed-model.ts'
import { createRunHeld, type HeldDependencies } from './held-call.ts'
import type { Caller } from './stages/1-authenticate.ts'
import { translate } from './stages/3-translate.ts'
import { callUpstream } from './stages/4-call-upstream.ts'
import { meter } from './stages/5-meter.ts'
import { settledHeaders } from './stages/7-respond.ts'
import { createStreamCall, type StreamDependencies } from './stream-call.ts'

export type PipelineDependencies = ChatPlanDependencies &
  HeldDependencies &
  StreamDependencies & {
    readonly catalog: Catalog
    readonly upstream: ChatUpstream
    readonly inlineImages: InlineImages
  }

export type RunChat = (caller: Caller, context: Call<ChatRequest>) => Promise<Response>

export function createPipeline(dependencies: PipelineDependencies): RunChat {
  const { catalog, upstream, clock, inlineImages } = dependencies
  const runHeld = createRunHeld(dependencies)
  const streamCall = createStreamCall(dependencies)
  return async (caller, context) => {
    const { body: request, callId } = context
    const model = findAllowedModel(catalog, caller, request.model, 'chat', 'image', 'speech')
    // The signal is asked for by few calls, and not free.
    const plan = planChat(request, model, () => context.signal, dependencies)
    return runHeld(caller, context, plan, async held => {
      const { admitted } = held
      // Images that cannot be fetched end the call: nothing was done for it.
      const whole = hasRemoteImages(request) ? await inlineImages(request, context.signal) : request
      const calls = translate(admitted, whole, plan)
      if (request.stream === true) return streamCall(held, calls, context)
      const { results, failure } = await callUpstream(upstream, calls)
      const measure = () => meter(admitted, results.map(readUsage))
      if (failure !== null) {
        // What other choices of the same request have used is charged.
        if (results.length > 0) await held.charge('failed', measure)
        throw failure
      }
      const settled = await held.charge('completed', measure)
      const created = Math.floor(clock() / 1000)
      return Response.json(buildCompletion({ results, request, callId, created }), {
        headers: settledHeaders(settled),
      })
    })
  }
}

const readUsage = ({ usage }: ChatResult) => usage
