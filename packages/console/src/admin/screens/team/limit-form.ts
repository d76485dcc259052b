// Fills the limits form from a team record, and builds an update with only the changed limits.
import type { TeamRecord } from '@fairgate/contracts/info/team-record.ts'
import type { UpdateTeamsBody } from '@fairgate/contracts/management/bulk.ts'
import { readDollarsOrNone, readWholeOrNone } from './read-fields.ts'

export type LimitForm = {
  readonly budget: string
  readonly rpm: string
  readonly tpm: string
  readonly models: readonly { readonly model: string; readonly rpm: string; readonly tpm: string }[]
}

export type LimitRecord = Pick<TeamRecord, 'max_budget' | 'rpm_limit' | 'tpm_limit' | 'metadata'>

export function openLimitForm({ max_budget, rpm_limit, tpm_limit, metadata }: LimitRecord): LimitForm {
  const { model_rpm_limit: rpm, model_tpm_limit: tpm } = metadata
  const models = [...new Set([...Object.keys(rpm), ...Object.keys(tpm)])].sort()
  return {
    budget: writeNumber(max_budget),
    rpm: writeNumber(rpm_limit),
    tpm: writeNumber(tpm_limit),
    models: models.map(model => ({ model, rpm: writeNumber(rpm[model]), tpm: writeNumber(tpm[model]) })),
  }
}

type Changes = Pick<
  UpdateTeamsBody,
  'max_budget' | 'rpm_limit' | 'tpm_limit' | 'set_model_rpm_limit' | 'set_model_tpm_limit'
>

/** `problems` maps a field (`budget`, `rpm`, `model rpm`) to its error message. */
export function buildLimitChanges(
  record: LimitRecord,
  form: LimitForm,
): { readonly changes: Changes; readonly problems: ReadonlyMap<string, string> } {
  const problems = new Map<string, string>()
  const readWhole = (field: string, text: string, now: number | null) => {
    const value = readWholeOrNone(text)
    if (value === undefined) problems.set(field, 'Enter a whole number')
    return value === undefined || value === now ? undefined : value
  }
  const readModels = (kind: 'rpm' | 'tpm', now: Readonly<Record<string, number>>) =>
    Object.fromEntries(
      form.models.flatMap(each => {
        const value = readWhole(`${each.model} ${kind}`, each[kind], now[each.model] ?? null)
        return value === undefined ? [] : [[each.model, value] as const]
      }),
    )
  const budget = readDollarsOrNone(form.budget)
  if (budget === undefined) problems.set('budget', 'Enter an amount in dollars, such as 25 or 12.50')
  const rpm = readWhole('rpm', form.rpm, record.rpm_limit ?? null)
  const tpm = readWhole('tpm', form.tpm, record.tpm_limit ?? null)
  const modelRpm = readModels('rpm', record.metadata.model_rpm_limit)
  const modelTpm = readModels('tpm', record.metadata.model_tpm_limit)
  return {
    changes: {
      ...(budget === undefined || budget === (record.max_budget ?? null) ? {} : { max_budget: budget }),
      ...(rpm === undefined ? {} : { rpm_limit: rpm }),
      ...(tpm === undefined ? {} : { tpm_limit: tpm }),
      ...(Object.keys(modelRpm).length === 0 ? {} : { set_model_rpm_limit: modelRpm }),
      ...(Object.keys(modelTpm).length === 0 ? {} : { set_model_tpm_limit: modelTpm }),
    },
    problems,
  }
}

function writeNumber(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value)
}
