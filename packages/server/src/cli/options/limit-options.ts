// The options that teams and keys have in common, and the request members they become.
import type { OwnerFields } from '@fairgate/contracts/management/owner-fields.ts'
import type { Command } from 'commander'
import { type None, nullForNone, orNone } from './none.ts'
import { parseList } from './parse-list.ts'
import { collectModelLimit, type ModelLimits } from './parse-model-limits.ts'
import { parseBudget, parseInteger } from './parse-number.ts'

export type LimitOptions = {
  readonly budget?: number | None
  readonly budgetDuration?: string
  readonly rpm?: number | None
  readonly tpm?: number | None
  readonly modelRpm?: ModelLimits | None
  readonly modelTpm?: ModelLimits | None
  readonly models?: string[] | None
}

/** The word `none`, in the help of every group that has these options. */
export const noneHelp = `The word "none" takes a limit away. --model-rpm and --model-tpm may be given
once for each model; they replace all limits of that kind that were set before.`

/** `emptyModels` says what a list without models means. */
export function addLimitOptions(command: Command, emptyModels: string): Command {
  return command
    .option('--budget <usd>', 'USD to spend in each period', orNone(parseBudget))
    .option('--budget-duration <period>', 'period of the budget: 1d (UTC day), 1w, 1m, or such as 12h')
    .option('--rpm <n>', 'requests per minute', orNone(parseInteger(0)))
    .option('--tpm <n>', 'tokens per minute', orNone(parseInteger(0)))
    .option('--model-rpm <model=n>', 'requests per minute of one model; repeatable', collectModelLimit)
    .option('--model-tpm <model=n>', 'tokens per minute of one model; repeatable', collectModelLimit)
    .option('--models <a,b>', `models that may be called (none: ${emptyModels})`, orNone(parseList))
}

export function buildLimitFields(options: LimitOptions): OwnerFields {
  const { budget, budgetDuration, rpm, tpm, modelRpm, modelTpm, models } = options
  return {
    ...(budget === undefined ? {} : { max_budget: nullForNone(budget) }),
    ...(budgetDuration === undefined ? {} : { budget_duration: nullForNone(budgetDuration) }),
    ...(rpm === undefined ? {} : { rpm_limit: nullForNone(rpm) }),
    ...(tpm === undefined ? {} : { tpm_limit: nullForNone(tpm) }),
    ...(modelRpm === undefined ? {} : { model_rpm_limit: nullForNone(modelRpm) }),
    ...(modelTpm === undefined ? {} : { model_tpm_limit: nullForNone(modelTpm) }),
    ...(models === undefined ? {} : { models: nullForNone(models) }),
  }
}
