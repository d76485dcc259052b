// What an organiser's act would change, worked out before it is made: the same plan answers a dry run and guards the act itself.
import { createHash } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ActBody, PlannedChange } from '@fairgate/contracts/management/planned-act.ts'
import type { RunChange, Written } from './run-changes.ts'

export type Plan = {
  readonly changes: readonly PlannedChange[]
  /** What was hardly meant: the act is made only by who has seen them. None where absent. */
  readonly warnings?: readonly string[]
  /** Versions of the records that the changes rest on. None where absent. */
  readonly basis?: readonly number[]
}

/** What came of an act: its plan, and whether it was made. */
export type ActOutcome = Required<Pick<Plan, 'changes' | 'warnings'>> & {
  readonly applied: boolean
  readonly previewId: string
}

/** What a change made that its plan does not show, such as a secret; `made` is null for a dry run. */
export type ActResult<Made> = { readonly outcome: ActOutcome; readonly made: Made | null }

export function planChange(
  what: string,
  subject: string,
  from: PlannedChange['from'],
  to: PlannedChange['to'],
  count = 1,
): PlannedChange[] {
  return from === to ? [] : [{ what, subject, from, to, count }]
}

/** Stands for exactly these changes of these records. The server remembers none: it is worked out again with the act. */
function previewIdOf({ changes, warnings = [], basis = [] }: Plan): string {
  const text = JSON.stringify([changes, warnings, basis])
  return `pv_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
}

function describeOutcome(plan: Plan, applied: boolean): ActOutcome {
  const { changes, warnings = [] } = plan
  return { changes, warnings, applied, previewId: previewIdOf(plan) }
}

/**
 * Every act goes through here. A dry run ends with the plan. `make` refuses what has changed since the plan was made, where that matters.
 * Throws ApiError `preview_outdated` (409) when the act would change something else than its preview said, and `invalid_request` for
 * warnings that nobody has confirmed.
 */
export async function carryOutPlan<Made>(
  plan: Plan,
  { dry_run: isDry, preview_id: previewId }: ActBody,
  make: () => Promise<Made>,
): Promise<ActResult<Made>> {
  const { warnings = [] } = plan
  const isPreviewed = typeof previewId === 'string'
  if (isPreviewed && previewId !== previewIdOf(plan)) throw new ApiError('preview_outdated')
  if (isDry === true) return { outcome: describeOutcome(plan, false), made: null }
  if (warnings.length > 0 && !isPreviewed)
    throw invalidRequest(
      'preview_id',
      `${warnings.join(' ')} If this is meant, send the act with the preview_id of its dry run.`,
    )
  return { outcome: describeOutcome(plan, true), made: await make() }
}

export type ActSteps<Planned extends { readonly plan: Plan }, Made> = {
  /** Works out from the newest state what would change. `now`: Unix ms. */
  readonly plan: (now: number) => Planned | Promise<Planned>
  /** Makes exactly that; null when others got in between, so that it is planned again. */
  readonly make: (planned: Planned, now: number) => Promise<Written<Made> | null>
}

/** For the directory: an act that is no dry run is planned and made in its turn among the changes. Throws what `carryOutPlan` throws. */
export async function carryOut<Planned extends { readonly plan: Plan }, Made>(
  { run, clock }: { readonly run: RunChange; readonly clock: () => number },
  body: ActBody,
  { plan, make }: ActSteps<Planned, Made>,
): Promise<ActResult<Made>> {
  const attempt = async () => {
    const now = clock()
    const planned = await plan(now)
    return await carryOutPlan(planned.plan, body, () => make(planned, now))
  }
  if (body.dry_run === true) return { ...(await attempt()), made: null }
  return await run<ActResult<Made>>(async () => {
    const { outcome, made: written } = await attempt()
    return written === null ? null : { version: written.version, result: { outcome, made: written.result } }
  })
}

/** As routes answer a dry run, without the instant. */
export function buildPreview({ applied, previewId, changes, warnings }: ActOutcome) {
  return { applied, preview_id: previewId, changes: [...changes], warnings: [...warnings] }
}
