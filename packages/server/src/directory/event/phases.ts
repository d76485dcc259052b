// Turns phases as an organiser sends them into phases as they will be. Errors name the member at fault.
import type { PhaseFields } from '@fairgate/contracts/management/event.ts'
import { parseSpan } from '@fairgate/contracts/text/zoned-time.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { parseZonedMoment } from '../parse-times.ts'
import { refuseValue } from '../refusals.ts'
import { type ResolveModel, resolveModelList } from '../resolve-models.ts'
import { lockOf, type Phase } from './event.ts'

/** Throws ApiError `invalid_request` that names the member, such as `phases[1].until`. */
export function buildPhases(
  fields: readonly PhaseFields[],
  timeZone: string,
  resolveModel: ResolveModel,
): Phase[] {
  const phases = fields.map((phase, index) => buildPhase(phase, `phases[${index}]`, timeZone, resolveModel))
  checkPhases(phases)
  return phases
}

export function buildPhase(
  fields: PhaseFields,
  place: string,
  timeZone: string,
  resolveModel: ResolveModel,
): Phase {
  const read = (member: string, text: string) => parseZonedMoment(`${place}.${member}`, text, timeZone)
  const { gateway = 'open', models, budget_nano: budget } = fields
  const bounds = {
    gateway: gateway ?? 'open',
    from: read('from', fields.from),
    until: typeof fields.until === 'string' ? read('until', fields.until) : null,
  }
  return {
    name: fields.name,
    ...bounds,
    models: models === undefined || models === null ? null : resolveModels(models, place, resolveModel),
    budgetNano: typeof budget === 'number' ? nanoDollars(budget) : null,
    accounting: fields.accounting ?? 'continue',
    entriesUntil: buildEntriesUntil(fields, bounds, place, timeZone),
    submissionsUntil: buildSubmissionsUntil(fields, bounds, place, timeZone),
  }
}

function resolveModels(names: readonly string[], place: string, resolveModel: ResolveModel): string[] {
  return resolveModelList(names, resolveModel, [], `${place}.models`)
}

function buildEntriesUntil(
  { entries_until: text }: PhaseFields,
  bounds: Pick<Phase, 'gateway' | 'from' | 'until'>,
  place: string,
  timeZone: string,
): number | null {
  if (typeof text !== 'string') return null
  const param = `${place}.entries_until`
  const lockedAt = lockOf(bounds)
  if (lockedAt === null)
    throw refuseValue(param, 'a phase that is open and has no end cannot lock the boards. Set an end.')
  const span = parseSpan(text)
  const entriesUntil = span === null ? parseZonedMoment(param, text, timeZone) : lockedAt + span
  if (entriesUntil >= lockedAt) return entriesUntil
  throw refuseValue(param, `${text} is before the boards are locked.`)
}

function buildSubmissionsUntil(
  { submissions_until: text }: PhaseFields,
  bounds: Pick<Phase, 'gateway' | 'from' | 'until'>,
  place: string,
  timeZone: string,
): number | null {
  if (typeof text !== 'string') return null
  const param = `${place}.submissions_until`
  const span = parseSpan(text)
  const since = lockOf(bounds)
  if (span !== null && since === null)
    throw refuseValue(param, `${text} counts from the end of the phase, which has none. Use a time.`)
  const submissionsUntil =
    span === null || since === null ? parseZonedMoment(param, text, timeZone) : since + span
  if (submissionsUntil >= bounds.from) return submissionsUntil
  throw refuseValue(param, `${text} is before the phase begins.`)
}

/** Throws ApiError `invalid_request` for phases that overlap, have no order, or lock the boards twice at one moment. */
export function checkPhases(phases: readonly Phase[]): void {
  const names = new Set<string>()
  const locks = new Map<number, string>()
  for (const [index, phase] of phases.entries()) {
    const place = `phases[${index}]`
    if (names.has(phase.name))
      throw refuseValue(`${place}.name`, `there are two phases named "${phase.name}".`)
    names.add(phase.name)
    if (phase.until !== null && phase.until <= phase.from)
      throw refuseValue(`${place}.until`, `"${phase.name}" would end before it begins.`)
    const next = phases[index + 1]
    if (next !== undefined && phase.until === null)
      throw refuseValue(`${place}.until`, `"${phase.name}" needs an end, because "${next.name}" follows.`)
    if (next !== undefined && phase.until !== null && next.from < phase.until)
      throw refuseValue(
        `phases[${index + 1}].from`,
        `"${next.name}" would begin before "${phase.name}" ends.`,
      )
    const lock = lockOf(phase)
    if (phase.entriesUntil === null || lock === null) continue
    const other = locks.get(lock)
    if (other !== undefined)
      throw refuseValue(`${place}.entries_until`, `"${other}" locks the boards at the same time.`)
    locks.set(lock, phase.name)
  }
}
