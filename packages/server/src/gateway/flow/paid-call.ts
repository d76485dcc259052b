// A paid call with one answer. Its endpoint provides the plan, the upstream request and the writer of the answer:
//
//   admit → translate → call upstream → meter → settle → respond
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Call } from '../../http/call.ts'
import type { Served, UsageReport } from '../../upstream/port.ts'
import type { CallPlan } from './admit.ts'
import type { Admitted } from './admitted.ts'
import type { Caller } from './authenticate.ts'
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
  /** The text that the answer ends with, for its digest; absent if answers are not text. */
  readonly answerOf?: (results: Results<Result>) => string | null
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
  { translate, ask, answerOf, respond }: PaidCall<Asked, Result>,
): Promise<Response> {
  const translated = translate(held.admitted)
  const asked = translated instanceof Promise ? await translated : translated
  const [only] = asked
  const isOne = asked.length === 1 && only !== undefined
  const results = isOne ? ([await ask(only)] as const) : await askAll(held, asked, ask)
  held.noteServed(results[0])
  if (answerOf !== undefined) held.trace.readAnswer = () => answerOf(results)
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

/** All calls run at once. If one fails, the usage of the others is charged and its failure is thrown. */
async function askAll<Asked, Result extends Used>(
  held: HeldCall,
  asked: readonly Asked[],
  ask: (asked: Asked) => Promise<Result>,
): Promise<Results<Result>> {
  const ended = await Promise.allSettled(asked.map(async each => ask(each)))
  const results = ended.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const failed = ended.find(outcome => outcome.status === 'rejected')
  const [first, ...others] = results
  if (first === undefined)
    throw failed?.reason ?? new Error('A paid call must ask its upstream at least once.')
  if (failed === undefined) return [first, ...others]
  held.owe(() => meterResults(held.admitted, results))
  await held.end('failed')
  throw failed.reason
}

function meterResults(admitted: Admitted, results: readonly Used[]): Metered {
  return meter(
    admitted,
    results.map(({ usage }) => usage),
  )
}
