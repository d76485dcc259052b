// Plans what an organiser's action would change before it is made. The same plan answers a dry run and guards the action itself.
import { createHash } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ActionBody, PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import type { RunChange, Written } from './run-changes.ts'

export type Plan = {
  readonly changes: readonly PlannedChange[]
  /** Effects that were probably not intended: the action needs a confirmation from someone who has seen them. Absent: none. */
  readonly warnings?: readonly string[]
  /** Versions of the records that the changes depend on. Absent: none. */
  readonly basis?: readonly number[]
}

/** The result of an action: its plan, and whether it was made. */
export type ActionOutcome = Required<Pick<Plan, 'changes' | 'warnings'>> & {
  readonly applied: boolean
  readonly previewId: string
}

/** The result of a change that its plan does not show, such as a secret; `made` is null for a dry run. */
export type ActionResult<Made> = { readonly outcome: ActionOutcome; readonly made: Made | null }

export function planChange(
  what: string,
  subject: string,
  from: PlannedChange['from'],
  to: PlannedChange['to'],
  count = 1,
): PlannedChange[] {
  return from === to ? [] : [{ what, subject, from, to, count }]
}

/** Identifies exactly these changes of these records. The server stores none of them: the id is recomputed with the action. */
function previewIdOf({ changes, warnings = [], basis = [] }: Plan): string {
  const text = JSON.stringify([changes, warnings, basis])
  return `pv_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

function describeOutcome(plan: Plan, applied: boolean): ActionOutcome {
  const { changes, warnings = [] } = plan
  return { changes, warnings, applied, previewId: previewIdOf(plan) }
}

/**
 * Runs every action. A dry run ends with the plan. `make` refuses if something relevant has changed since the plan was made. Throws
 * ApiError `preview_outdated` (409) if the action would change something other than its preview showed, and `invalid_request` for warnings
 * that were not confirmed.
 */
export async function carryOutPlan<Made>(
  plan: Plan,
  { dry_run: isDry, preview_id: previewId }: ActionBody,
  make: () => Promise<Made>,
): Promise<ActionResult<Made>> {
  const { warnings = [] } = plan
  const isPreviewed = typeof previewId === 'string'
  if (isPreviewed && previewId !== previewIdOf(plan)) throw new ApiError('preview_outdated')
  if (isDry === true) return { outcome: describeOutcome(plan, false), made: null }
  if (warnings.length > 0 && !isPreviewed)
    throw invalidRequest(
      'preview_id',
      `${warnings.join(' ')} To confirm, send the request again with the preview_id of its dry run.`,
    )
  return { outcome: describeOutcome(plan, true), made: await make() }
}

export type ActionSteps<Planned extends { readonly plan: Plan }, Made> = {
  /** Calculates the changes from the newest state. `now`: Unix ms. */
  readonly plan: (now: number) => Planned | Promise<Planned>
  /** Makes exactly those changes; null if another writer was faster, and it is planned again. */
  readonly make: (planned: Planned, now: number) => Promise<Written<Made> | null>
}

/** For the directory: an action that is not a dry run is planned and made in its turn among the changes. Throws what `carryOutPlan` throws. */
export async function carryOut<Planned extends { readonly plan: Plan }, Made>(
  { run, clock }: { readonly run: RunChange; readonly clock: () => number },
  body: ActionBody,
  { plan, make }: ActionSteps<Planned, Made>,
): Promise<ActionResult<Made>> {
  const attempt = async () => {
    const now = clock()
    const planned = await plan(now)
    return await carryOutPlan(planned.plan, body, () => make(planned, now))
  }
  if (body.dry_run === true) return { ...(await attempt()), made: null }
  return await run<ActionResult<Made>>(async () => {
    const { outcome, made: written } = await attempt()
    return written === null ? null : { version: written.version, result: { outcome, made: written.result } }
  })
}

/** A dry run's result as routes return it, without the instant. */
export function buildPreview({ applied, previewId, changes, warnings }: ActionOutcome) {
  return { applied, preview_id: previewId, changes: [...changes], warnings: [...warnings] }
}
