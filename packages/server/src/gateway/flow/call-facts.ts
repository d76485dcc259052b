// Collects the facts that are recorded with a charge. They are built with the charge, so that both are one commit.
import type { DigestTexts } from '../../evidence/create-digester.ts'
import type { Call } from '../../http/call.ts'
import type { CallFacts, CallTexts } from '../../ledger/call-record.ts'
import type { Served } from '../../upstream/port.ts'
import { describeClient, readModel } from '../call-record/describe-client.ts'
import type { CallPlan } from './admit.ts'

/** A text answer, for those who describe the call. */
export type Answer = {
  /** The text that the answer ends with, or has so far; null if there is none. */
  text(): string | null
  /** Why each choice ended; empty while none has. */
  finishReasons(): readonly string[]
}

/** Collects the facts of one call as it runs. */
export class CallTrace {
  private readonly call: Call
  private readonly plan: CallPlan
  private readonly teamId: string
  private readonly digestTexts: DigestTexts
  /** From the request; kept when its body is released. */
  private known: CallFacts | null = null
  /** See `CallFacts`. */
  firstByteMs: number | null = null
  /** Null while there is none, or if answers are not text. */
  answer: Answer | null = null
  private served: Served | null = null
  code: string | null = null

  constructor(call: Call, plan: CallPlan, teamId: string, digestTexts: DigestTexts) {
    this.call = call
    this.plan = plan
    this.teamId = teamId
    this.digestTexts = digestTexts
  }

  /** An upstream has answered. */
  noteServed(served: Served): void {
    this.served = served
  }

  /** The first byte of the answer leaves now. `milliseconds`: since the request arrived. */
  begin(milliseconds: number): void {
    this.firstByteMs ??= Math.round(milliseconds)
  }

  get isServed(): boolean {
    return this.served !== null
  }

  /** As the client wrote it. */
  get modelAsked(): string | null {
    return this.ofRequest().modelAsked
  }

  /** The facts known so far. The request's part is read once, while its body is still there. */
  facts(): CallFacts {
    const ofRequest = this.ofRequest()
    const { firstByteMs, code } = this
    const { upstreamKey = null, servedBy } = this.served ?? {}
    const answer = this.answer?.text() ?? null
    if (firstByteMs === null && answer === null && upstreamKey === null && code === null) return ofRequest
    const upstream = servedBy?.upstream ?? ofRequest.upstream
    const texts = this.withAnswer(ofRequest, answer)
    return { ...ofRequest, firstByteMs, upstream, upstreamKey, code, texts }
  }

  private ofRequest(): CallFacts {
    this.known ??= this.readRequest()
    return this.known
  }

  private readRequest(): CallFacts {
    const { call, plan } = this
    const client = describeClient(call.request.headers, call.remoteAddress, call.body)
    const spoken = plan.texts?.() ?? null
    return {
      code: null,
      modelAsked: readModel(call) ?? plan.model.id,
      client,
      firstByteMs: null,
      upstream: plan.model.upstream,
      upstreamKey: null,
      texts: spoken === null ? null : this.digestTexts(this.teamId, client.tool, { ...spoken, answer: null }),
    }
  }

  private withAnswer({ texts, client }: CallFacts, answer: string | null): CallTexts | null {
    if (answer === null) return texts
    const ofAnswer = this.digestTexts(this.teamId, client.tool, {
      prompts: [],
      results: [],
      answer,
    })
    return ofAnswer === null ? texts : { prompts: [], results: [], ...texts, answer: ofAnswer.answer }
  }
}
