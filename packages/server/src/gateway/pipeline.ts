// The life of a paid call, in order: (authenticate) → admit → translate → call upstream → meter → settle → respond.
//
//   Caller → Admitted → UpstreamCalls → Answered → Metered → Settled → Response
//
// Between admit and translate, images that a request only names are fetched. Each stage takes only what the one before it returns. The door has authenticated before the body was read.
// Streams bend the order: see stream-call.ts. A hold is settled by its charge or released, on every way out.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { RequestContext } from '../http/route.ts'
import type { Limits } from '../limits/port.ts'
import type { ChatUpstream } from '../upstream/port.ts'
import { hasRemoteImages, type InlineImages } from '../upstream/remote-media/create-image-inliner.ts'
import type { Caller } from './stages/1-authenticate.ts'
import { type AdmitDependencies, type Admitted, createAdmit } from './stages/2-admit.ts'
import { translate } from './stages/3-translate.ts'
import { type Answered, callUpstream } from './stages/4-call-upstream.ts'
import { meter } from './stages/5-meter.ts'
import { createSettle, type Settle, type SettleDependencies } from './stages/6-settle.ts'
import { respond } from './stages/7-respond.ts'
import { createStreamCall, type StreamDependencies } from './stream-call.ts'

export type PipelineDependencies = AdmitDependencies &
  SettleDependencies &
  StreamDependencies & {
    readonly limits: Limits
    readonly upstream: ChatUpstream
    readonly inlineImages: InlineImages
  }

export type RunChat = (caller: Caller, context: RequestContext<ChatRequest>) => Promise<Response>

export function createPipeline(dependencies: PipelineDependencies): RunChat {
  const { limits, upstream, clock, inlineImages } = dependencies
  const admit = createAdmit(dependencies)
  const settle = createSettle(dependencies)
  const streamCall = createStreamCall({ ...dependencies, settle })
  return async (caller, context) => {
    const { body: request, callId } = context
    // The signal is asked for by few calls, and not free.
    const admitted = await admit({ caller, callId, request, signal: () => context.signal })
    context.keepOpen()
    context.note({ team: caller.team.teamId, key_name: caller.key.keyName, model: admitted.model.id })
    const calls = translate(
      hasRemoteImages(request)
        ? await attachImages(admitted, inlineImages, limits, context.signal)
        : admitted,
    )
    if (request.stream === true) return streamCall(calls, context)
    const answered = await callUpstream(upstream, calls)
    if (answered.failure !== null) throw await settleFailure(answered, admitted, limits, settle)
    const metered = meter(
      admitted,
      answered.results.map(result => result.usage),
    )
    const settled = await settle(metered, 'completed', false)
    return respond(settled, answered.results, Math.floor(clock() / 1000))
  }
}

/** Images that the request only names are fetched for an admitted call alone; where that fails, the call is over. */
async function attachImages(
  admitted: Admitted,
  inlineImages: InlineImages,
  limits: Pick<Limits, 'release'>,
  signal: AbortSignal,
): Promise<Admitted> {
  try {
    return { ...admitted, request: await inlineImages(admitted.request, signal) }
  } catch (failure) {
    limits.release(admitted.hold)
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
