// Dry runs: a request header asks what a paid call would cost and hold, and whether a limit would refuse it. Nothing is taken.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { type CallPreview, callPreviewSchema } from '@fairgate/contracts/spend/call-preview.ts'
import Type, { type TSchema } from 'typebox'
import type { Call } from '../../http/call.ts'
import type { ReplyForms, Route } from '../../http/route.ts'
import { decideBudget } from '../../ledger/decide-budget.ts'
import { toUsdNumber } from '../../ledger/money.ts'
import { RequestWindow } from '../../ledger/request-window.ts'
import type { Preview } from '../../limits/port.ts'
import { type AdmitDependencies, buildRequest, type RaisedPlan, requireLedger } from './admit.ts'
import type { Caller } from './authenticate.ts'
import { readFigures, refuse } from './respond.ts'

const dryRunHeader = 'x-gateway-dry-run'

/** Throws ApiError `invalid_request` for a value that is neither yes nor no: the call might be paid for by mistake. */
export function isDryRun(headers: Headers): boolean {
  const value = headers.get(dryRunHeader)
  if (value === null || value === '0') return false
  if (value === '1') return true
  throw invalidRequest(dryRunHeader, `${dryRunHeader} must be 1 for a dry run, or 0.`)
}

/** Ends a dry run at the point of admission. Passes through anything that the endpoint does with answers. */
class PreviewedCall extends Error {
  readonly preview: CallPreview

  constructor(preview: CallPreview) {
    super('The call is a dry run.')
    this.preview = preview
  }
}

/** Called when a paid call that is a dry run is about to be admitted. Throws what `answerDryRuns` replies with. */
export async function previewCall(
  dependencies: AdmitDependencies,
  caller: Caller,
  call: Call,
  plan: RaisedPlan,
): Promise<never> {
  const { limits } = dependencies
  await requireLedger(dependencies)
  call.note({
    team_id: caller.team.teamId,
    key_name: caller.key.keyName,
    model: plan.model.id,
    dry_run: true,
  })
  const preview = await limits.preview(
    buildRequest(dependencies, { caller, callId: call.callId, plan }, plan.estimate),
  )
  throw new PreviewedCall(describePreview(plan, preview))
}

/** A paid route that answers dry runs. They are not calls: neither they nor their errors are recorded. */
export function answerDryRuns(route: Route<Caller>): Route<Caller> {
  if (route.isPaid !== true) return route
  const { handle, replies, headers } = route
  return {
    ...route,
    headers: Type.Object({ ...headers?.properties, ...dryRunHeaders }),
    replies: { ...replies, 200: addPreview(replies[200]) },
    handle: (caller, call) => {
      if (!isDryRun(call.request.headers)) return handle(caller, call)
      call.isDryRun = true
      call.isOnRecord = true
      return answerPreview(() => handle(caller, call))
    },
  }
}

/** Each form of a reply has one description. JSON is the answer or the preview. */
function addPreview(forms: ReplyForms = []): ReplyForms {
  if (typeof forms === 'string') return callPreviewSchema
  const each: readonly TSchema[] = Array.isArray(forms) ? forms : [forms as TSchema]
  const isJson = (form: TSchema) => !('contentMediaType' in form)
  const others = each.filter(form => !isJson(form))
  const answers = each.filter(isJson)
  return [answers.length === 0 ? callPreviewSchema : Type.Union([...answers, callPreviewSchema]), ...others]
}

const dryRunHeaders = {
  [dryRunHeader]: Type.Optional(
    Type.Enum(['0', '1'], {
      description:
        '`1`: returns what the call could cost, what it would hold and what would refuse it, without making the call. Nothing is held or charged.',
    }),
  ),
}

async function answerPreview(handle: () => Response | Promise<Response>): Promise<Response> {
  try {
    // An endpoint that answers without a paid call has refused nothing and taken nothing.
    return await handle()
  } catch (thrown) {
    if (!(thrown instanceof PreviewedCall)) throw thrown
    return Response.json(thrown.preview, { headers: { 'cache-control': 'no-store' } })
  }
}

function describePreview(
  { model, endpoint, tokens, estimate, refine }: RaisedPlan,
  preview: Preview,
): CallPreview {
  const { grant, budgets, rates, refusal } = preview
  const asked = decideBudget([], estimate, 0)
  if (!asked.admitted) throw new Error('An estimate without any budget cannot exceed one.')
  const { amount } = asked.grant
  return {
    object: 'call_preview',
    model: model.id,
    endpoint,
    would_run: refusal === null,
    estimate: {
      cost_nano: amount,
      cost: toUsdNumber(amount),
      input_tokens: tokens.input,
      output_tokens: tokens.output,
    },
    hold:
      grant === null
        ? null
        : {
            cost_nano: grant.amount,
            cost: toUsdNumber(grant.amount),
            output_cap: grant.outputCap,
            reduced: grant.reduced,
          },
    budgets: budgets.map(({ level, maximum, spent, held, endsAt }) => ({
      level,
      limit_nano: maximum,
      spent_nano: spent,
      held_nano: held,
      left_nano: Math.max(0, maximum - spent - held),
      resets_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    })),
    requests: describeWindow(rates.requests),
    tokens: describeWindow(rates.tokens),
    refusal: refusal === null ? null : describeRefusal(preview, refusal, refine !== undefined),
  }
}

function describeWindow(window: Preview['rates']['requests']): CallPreview['requests'] {
  return window === null
    ? null
    : { limit: window.limit, remaining: window.remaining, reset_ms: Math.ceil(window.resetMs) }
}

/** In the words of the 429 that a call would get. */
function describeRefusal(
  { rates }: Preview,
  refusal: NonNullable<Preview['refusal']>,
  canCount: boolean,
): CallPreview['refusal'] {
  return {
    code: refusal.code,
    message: refuse(refusal, rates).message,
    ...readFigures(refusal),
    may_be_counted: canCount && refusal.code === 'budget_exceeded' && refusal.used < refusal.limit,
  }
}

// Rations dry runs: they cost nothing and count against no limit of the team, but they use server time.

/** Per team, in any 60 s. */
const dryRunsPerMinute = 120

/** Counts a dry run of the team. Throws ApiError `rpm_exceeded`. */
export type RationDryRuns = (teamId: string) => void

/** `clock`: Unix ms. */
export function createRationDryRuns(clock: () => number): RationDryRuns {
  const windows = new Map<string, RequestWindow>()
  return teamId => {
    const window = windows.get(teamId) ?? new RequestWindow()
    windows.set(teamId, window)
    const now = clock()
    const freeAt = window.nextFreeAt(dryRunsPerMinute, now) ?? now
    if (freeAt <= now) return window.add(now)
    const seconds = String(Math.ceil((freeAt - now) / 1000))
    throw new ApiError('rpm_exceeded', {
      message: `This team has made ${dryRunsPerMinute} dry runs in the last minute. Try again in ${seconds} s.`,
      headers: { 'retry-after': seconds },
    })
  }
}
