// A paid call with one answer. Its endpoint provides the plan, the upstream request and the writer of the answer:
//
//   admit → translate → call upstream → meter → settle → respond
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Call } from '../../http/call.ts'
import type { Served, UsageReport } from '../../upstream/port.ts'
import type { CallPlan } from './admit.ts'
import type { Admitted } from './admitted.ts'
import type { Caller } from './authenticate.ts'
import type { Answer } from './call-facts.ts'
import { type FlowDependencies, type HeldCall, runHeld } from './held-call.ts'
import { type Metered, meter } from './meter.ts'
import { settledHeaders } from './respond.ts'

type Used = Served & { readonly usage: UsageReport }

export type PaidCall<Asked, Result extends Used> = {
  readonly plan: CallPlan
  /** The upstream requests: one, or one per choice. Throws ApiError if none can be made; nothing was done then. */
  readonly translate: (admitted: Admitted) => readonly Asked[] | Promise<readonly Asked[]>
  /** One upstream call. Runs to its end even if the client has left: its true usage is charged. Throws ApiError if nothing was done. */
  readonly ask: (asked: Asked) => Promise<Result>
  /** Upstream calls that run at the same time; all if absent. After a failure no others are started. */
  readonly atOnce?: number
  /** Describes the failure of an upstream call after others were answered, which are charged; the failure itself if absent. */
  readonly failPartly?: (failure: ApiError, answered: Results<Result>) => ApiError
  /** Describes the answer for the record of the call; absent if answers are not text. */
  readonly answerOf?: (results: Results<Result>) => Answer
  /** `headers` include the cost. Throws ApiError if the answer is a refusal; its usage is charged anyway. */
  readonly respond: (
    results: Results<Result>,
    headers: Readonly<Record<string, string>>,
  ) => Response | Promise<Response>
}

/** One per upstream call. */
export type Results<Result> = readonly [Result, ...Result[]]

export type RunPaidCall = <Asked, Result extends Used>(
  caller: Caller,
  call: Call,
  paid: PaidCall<Asked, Result>,
) => Promise<Response>

export function createPaidCall(dependencies: FlowDependencies): RunPaidCall {
  return (caller, call, paid) => runHeld(dependencies, caller, call, paid.plan, held => answer(held, paid))
}

async function answer<Asked, Result extends Used>(
  held: HeldCall,
  paid: PaidCall<Asked, Result>,
): Promise<Response> {
  const { translate, ask, answerOf, respond } = paid
  const translated = translate(held.admitted)
  const asked = translated instanceof Promise ? await translated : translated
  const [only] = asked
  const isOne = asked.length === 1 && only !== undefined
  const results = isOne ? ([await ask(only)] as const) : await askAll(held, asked, paid)
  held.noteServed(results[0])
  if (answerOf !== undefined) held.trace.answer = answerOf(results)
  held.owe(() => meterResults(held.charged, results))
  if (held.isKeyed) held.writeLateAnswer = metered => writeAnswer(held, respond, results, metered)
  const metered = await held.end('completed')
  if (metered === null) throw new Error('A call that has ended without a charge cannot be charged.')
  return writeAnswer(held, respond, results, metered)
}

async function writeAnswer<Asked, Result extends Used>(
  held: HeldCall,
  respond: PaidCall<Asked, Result>['respond'],
  results: Results<Result>,
  metered: Metered,
): Promise<Response> {
  const headers = settledHeaders(held.admitted, metered)
  try {
    const response = respond(results, headers)
    return response instanceof Promise ? await response : response
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw error.withHeaders(headers)
  }
}

/** If one call fails, the usage of those that were answered is charged and its failure is thrown. */
async function askAll<Asked, Result extends Used>(
  held: HeldCall,
  asked: readonly Asked[],
  { ask, atOnce = asked.length, failPartly }: PaidCall<Asked, Result>,
): Promise<Results<Result>> {
  const ended = await settleInTurn(asked, ask, atOnce)
  const results = ended.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failed = ended.find(outcome => outcome.status === 'rejected')
  const [first, ...others] = results
  if (first === undefined)
    throw failed?.reason ?? new Error('A paid call must ask its upstream at least once.')
  if (failed === undefined) return [first, ...others]
  held.owe(() => meterResults(held.admitted, results))
  const metered = await held.end('failed')
  const failure: unknown = failed.reason
  if (!(failure instanceof ApiError) || failPartly === undefined || metered === null) throw failure
  throw failPartly(failure, [first, ...others]).withHeaders(settledHeaders(held.admitted, metered))
}

/** The ends of the calls in the order of `asked`, without those that were not started because another had failed. */
async function settleInTurn<Asked, Result>(
  asked: readonly Asked[],
  ask: (asked: Asked) => Promise<Result>,
  atOnce: number,
): Promise<PromiseSettledResult<Result>[]> {
  const ended: PromiseSettledResult<Result>[] = []
  const waiting = asked.entries()
  let hasFailed = false
  const takeTurns = async () => {
    for (const [index, each] of waiting) {
      if (hasFailed) return
      const [outcome] = await Promise.allSettled([(async () => ask(each))()])
      ended[index] = outcome
      hasFailed ||= outcome.status === 'rejected'
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, asked.length) }, takeTurns))
  // Leaves out the gaps.
  return Object.values(ended)
}

function meterResults(admitted: Admitted, results: readonly Used[]): Metered {
  return meter(
    admitted,
    results.map(({ usage }) => usage),
  )
}
