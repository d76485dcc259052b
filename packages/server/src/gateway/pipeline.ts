// The life of a paid call, in order: (authenticate) → admit → translate → call upstream → meter → settle → respond.
//
//   Caller → Admitted → UpstreamCalls → Answered → Metered → Settled → Response
//
// Each stage takes only what the one before it returns. The door has authenticated before the body was read. Images that a
// request only names are fetched between admit and translate.
// Streams bend the order: see stream-call.ts. Calls of one answer that is not a chat turn: see media-call.ts.
// A hold is settled by its charge or released, on every way out.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { Catalog } from '../catalog/types.ts'
import type { RequestContext } from '../http/route.ts'
import type { Limits } from '../limits/port.ts'
import type { ChatUpstream } from '../upstream/port.ts'
import { hasRemoteImages, type InlineImages } from '../upstream/remote-media/create-image-inliner.ts'
import { buildCompletion } from './endpoints/chat-completions/build-completion.ts'
import { type ChatPlanDependencies, planChat } from './endpoints/chat-completions/plan-chat.ts'
import { findAllowedModel } from './find-allowed-model.ts'
import type { Caller } from './stages/1-authenticate.ts'
import { type AdmitDependencies, type Admitted, createAdmit } from './stages/2-admit.ts'
import { translate } from './stages/3-translate.ts'
import { type Answered, callUpstream } from './stages/4-call-upstream.ts'
import { meter } from './stages/5-meter.ts'
import { createSettle, type Settle, type SettleDependencies } from './stages/6-settle.ts'
import { settledHeaders } from './stages/7-respond.ts'
import { createStreamCall, type StreamDependencies } from './stream-call.ts'

export type PipelineDependencies = ChatPlanDependencies &
  AdmitDependencies &
  SettleDependencies &
  StreamDependencies & {
    readonly catalog: Catalog
    readonly limits: Pick<Limits, 'admit' | 'settle' | 'release'>
    readonly upstream: ChatUpstream
    readonly inlineImages: InlineImages
  }

export type RunChat = (caller: Caller, context: RequestContext<ChatRequest>) => Promise<Response>

export function createPipeline(dependencies: PipelineDependencies): RunChat {
  const { catalog, limits, upstream, clock, inlineImages } = dependencies
  const admit = createAdmit(dependencies)
  const settle = createSettle(dependencies)
  const streamCall = createStreamCall({ ...dependencies, settle })
  return async (caller, context) => {
    const { body: request, callId } = context
    const model = findAllowedModel(catalog, caller, request.model, 'chat', 'image')
    // The signal is asked for by few calls, and not free.
    const plan = planChat(request, model, () => context.signal, dependencies)
    const admitted = await admit(caller, callId, plan)
    context.keepOpen()
    context.note({ team: caller.team.teamId, key_name: caller.key.keyName, model: model.id })
    const whole = hasRemoteImages(request)
      ? await orRelease(inlineImages(request, context.signal), admitted, limits)
      : request
    const calls = translate(admitted, whole, plan)
    if (request.stream === true) return streamCall(calls, context)
    const answered = await callUpstream(upstream, calls)
    if (answered.failure !== null) throw await settleFailure(answered, admitted, limits, settle)
    const { results } = answered
    const metered = meter(
      admitted,
      results.map(result => result.usage),
    )
    const settled = await settle(metered, 'completed', false)
    const created = Math.floor(clock() / 1000)
    return Response.json(buildCompletion({ results, request, callId, created }), {
      headers: settledHeaders(settled),
    })
  }
}

/** Images that cannot be fetched end the call: nothing was done for it. */
async function orRelease<Result>(
  step: Promise<Result>,
  { hold }: Admitted,
  limits: Pick<Limits, 'release'>,
): Promise<Result> {
  try {
    return await step
  } catch (failure) {
    limits.release(hold)
    throw failure
  }
}

/** Nothing is charged for a call that failed; what other choices of the same request used is. Returns the error to throw. */
async function settleFailure(
  answered: Answered,
  admitted: Admitted,
  limits: Pick<Limits, 'release'>,
  settle: Settle,
): Promise<unknown> {
  const reports = answered.results.map(result => result.usage)
  if (reports.length === 0) limits.release(admitted.hold)
  else await settle(meter(admitted, reports), 'failed', false)
  return answered.failure
}
