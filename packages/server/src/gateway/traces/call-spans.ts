// Follows paid calls from their caller to the end of their reply, and hands each over as one span. All facts come from what the flow
// has gathered anyway. Exists only while traces are exported.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Catalog } from '../../catalog/types.ts'
import type { Call } from '../../http/call.ts'
import type { AccessFacts } from '../../http/log-access.ts'
import type { Route } from '../../http/route.ts'
import { readModel } from '../call-record/describe-client.ts'
import { nameEndpoint, outcomeOf } from '../call-record/record-ended.ts'
import type { Caller } from '../flow/authenticate.ts'
import { isDryRun } from '../flow/dry-run.ts'
import type { FollowCall, HeldCall } from '../flow/held-call.ts'
import { quietly } from '../flow/release.ts'
import { describeSpan, type EndedCall, type SpanDescription } from './describe-span.ts'

/** A span that has ended. */
export type CallSpan = SpanDescription & {
  /** Unix ms. */
  readonly startedAt: number
  readonly endedAt: number
  /** The client's header as it came, valid or not. */
  readonly traceparent: string | null
}

export type CallSpansDependencies = {
  readonly catalog: Pick<Catalog, 'find'>
  /** Unix ms. */
  readonly clock: () => number
  /** Never throws or waits. */
  readonly emit: (span: CallSpan) => void
  readonly reportError: (error: unknown, callId: string) => void
}

type Followed = { readonly caller: Caller; held: HeldCall | null; attempts: number }

export class CallSpans {
  readonly #dependencies: CallSpansDependencies
  readonly #paths = new Set<string>()
  readonly #calls = new WeakMap<Request, Followed>()
  /** The call that the current work belongs to. */
  readonly #current = new AsyncLocalStorage<Followed>()

  constructor(dependencies: CallSpansDependencies) {
    this.#dependencies = dependencies
  }

  /** Calls of a paid route get a span. Its gate is the first place that knows their callers. */
  readonly followRoute = (route: Route<Caller>): Route<Caller> => {
    const { gate } = route
    if (route.isPaid !== true || gate === undefined) return route
    this.#paths.add(route.path)
    const enter: typeof gate.enter = (caller, callId, request) => {
      this.#calls.set(request, { caller, held: null, attempts: 0 })
      return gate.enter(caller, callId, request)
    }
    return { ...route, gate: { ...gate, enter } }
  }

  readonly followCall: FollowCall = (call, held, work) => {
    const followed = this.#calls.get(call.request)
    if (followed === undefined) return work()
    followed.held = held
    return this.#current.run(followed, work)
  }

  /** Counts the requests that are sent for a call. */
  readonly countAttempts = <Arguments extends unknown[], Reply>(
    fetch: (...given: Arguments) => Reply,
  ): ((...given: Arguments) => Reply) => {
    return (...given) => {
      const followed = this.#current.getStore()
      if (followed !== undefined) followed.attempts += 1
      return fetch(...given)
    }
  }

  /** The reply of a request has ended. Never throws. Dry runs are not calls. */
  readonly end = (facts: AccessFacts, call: Call): void => {
    if (call.method !== 'POST' || !this.#paths.has(call.route) || isDryRun(call.request.headers)) return
    const { clock, emit, reportError } = this.#dependencies
    quietly(
      () => {
        const endedAt = clock()
        const startedAt = endedAt - facts.milliseconds
        const traceparent = call.request.headers.get('traceparent')
        emit({ ...describeSpan(this.#describe(facts, call)), startedAt, endedAt, traceparent })
      },
      error => reportError(error, call.callId),
    )
  }

  #describe({ status, notes }: AccessFacts, call: Call): EndedCall {
    const { caller = null, held = null, attempts = 0 } = this.#calls.get(call.request) ?? {}
    const charge = held?.charge ?? null
    const modelAsked = held?.trace.modelAsked ?? this.#findModelAsked(call)
    const error = notes.error ?? held?.trace.code ?? null
    return {
      callId: call.callId,
      endpoint: nameEndpoint(call.route),
      route: call.route,
      status,
      outcome: charge?.outcome ?? outcomeOf(error !== null, status),
      code: typeof error === 'string' ? error : null,
      teamId: caller?.team.teamId ?? null,
      keyHash: caller?.key.keyHash ?? null,
      modelAsked,
      modelServed: held?.trace.isServed === true ? held.charged.model.id : null,
      isStream: held?.isStream ?? asksForStream(call),
      outputCap: held?.admitted.hold.outputCap ?? null,
      upstream: this.#findUpstream(held, modelAsked),
      attempts,
      firstByteMs: held?.trace.firstByteMs ?? null,
      finishReasons: held?.trace.answer?.finishReasons() ?? [],
      charge: charge === null ? null : charge.metered,
    }
  }

  /** Other names may be anything that a client wrote. */
  #findModelAsked(call: Call): string | null {
    const name = readModel(call)
    return name !== null && this.#dependencies.catalog.find(name) !== undefined ? name : null
  }

  #findUpstream(held: HeldCall | null, modelAsked: string | null): EndedCall['upstream'] {
    const { catalog } = this.#dependencies
    const model = held?.charged.model ?? (modelAsked === null ? undefined : catalog.find(modelAsked))
    if (model === undefined) return null
    return { name: model.upstream, kind: model.kind }
  }
}

/** For a call that was refused before it ran. */
function asksForStream({ body, route }: Call): boolean {
  if (route.endsWith(':streamGenerateContent')) return true
  return typeof body === 'object' && body !== null && 'stream' in body && body.stream === true
}
