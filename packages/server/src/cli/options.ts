// The options that commands share: how their values are read, and which members of a request they become.
import type { OwnerChanges } from '@fairgate/contracts/management/owner-fields.ts'
import { type Command, InvalidArgumentError } from 'commander'
import { refuseUsage } from './command-failure.ts'

/** The word that takes a limit away. It stays a word while options are parsed: commander turns a parsed null into an empty text. */
const none = 'none'
export type None = typeof none

/** Explains the word in the help of every group that has it. */
export const noneHelp = `The word "none" takes a limit away. --model-rpm and --model-tpm may be given
once for each model; they replace all limits of that kind that were set before.`

/** Explains what only updates have. */
export const changeHelp = `What is not named stays as it is. --set-model-rpm and --unset-model-rpm change the limits of single
models, and so on for tokens.`

export function orNone<Value>(parse: (text: string) => Value): (text: string) => Value | None {
  return text => (text === none ? none : parse(text))
}

/** What the admin door takes for the word. */
export function nullForNone<Value>(value: Value | None): Value | null {
  return value === none ? null : value
}

/** Throws InvalidArgumentError, which says what is allowed; commander names the option. */
export function parseInteger(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range =
    maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    throw new InvalidArgumentError(`Write a whole number ${range}.`)
  }
}

/** USD, not negative. */
export function parseBudget(text: string): number {
  const amount = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isFinite(amount)) return amount
  throw new InvalidArgumentError(
    'Write the whole amount in USD, such as 50 or 12.5. To give a team more, use fairgate grant.',
  )
}

/** USD → nano-dollars, exactly. */
export function parseNano(text: string): number {
  const match = /^(\d{1,7})(?:\.(\d{1,9}))?$/.exec(text)
  const [, whole = '', decimals = ''] = match ?? []
  if (match !== null) return Number(`${whole}${decimals.padEnd(9, '0')}`)
  throw new InvalidArgumentError('Write an amount in USD, such as 50 or 12.5, with at most nine decimals.')
}

/** `a,b,c` */
export function parseList(text: string): string[] {
  const names = text.split(',').map(name => name.trim())
  if (!names.includes('')) return names
  throw new InvalidArgumentError('Write names separated by commas, such as mm-2.5-flash,mm-2.5-pro.')
}

type ModelFigures = Record<string, number>

const parseLimit = parseInteger(0)

/** `model=N`, once for each model. `earlier` is what the same option gave before. */
export function collectModelFigure(parse: (text: string) => number) {
  return (text: string, earlier: ModelFigures | undefined): ModelFigures => {
    const split = text.lastIndexOf('=')
    const model = text.slice(0, Math.max(split, 0)).trim()
    if (model === '') throw new InvalidArgumentError('Write model=N, such as mm-2.5-flash=30.')
    if (earlier !== undefined && Object.hasOwn(earlier, model)) {
      throw new InvalidArgumentError(`The model ${model} is given twice.`)
    }
    return { ...earlier, [model]: parse(text.slice(split + 1)) }
  }
}

/** The same, or `none`. */
function collectModelLimit(text: string, earlier: ModelFigures | None | undefined): ModelFigures | None {
  if (text === none && earlier === undefined) return none
  if (text === none || earlier === none) {
    throw new InvalidArgumentError(`"${none}" takes the limits of all models away and stands alone.`)
  }
  if (text.endsWith(`=${none}`)) {
    throw new InvalidArgumentError('Leave the model out instead: the limits given replace those set before.')
  }
  return collectModelFigure(parseLimit)(text, earlier)
}

/** A name, once for each model. */
export function collectModelName(text: string, earlier: readonly string[] = []): readonly string[] {
  const model = text.trim()
  if (model === '' || model.includes('='))
    throw new InvalidArgumentError('Write the model alone, such as mm-2.5-flash.')
  return [...earlier, model]
}

/** What teams and keys have in common. */
export type LimitOptions = {
  readonly budget?: number | None
  readonly budgetDuration?: string
  readonly rpm?: number | None
  readonly tpm?: number | None
  readonly modelRpm?: ModelFigures | None
  readonly modelTpm?: ModelFigures | None
  readonly setModelRpm?: ModelFigures
  readonly setModelTpm?: ModelFigures
  readonly unsetModelRpm?: readonly string[]
  readonly unsetModelTpm?: readonly string[]
  readonly models?: string[] | None
  readonly tags?: string[] | None
}

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
    .option('--tags <a,b>', 'names by which --where chooses teams', orNone(parseList))
}

/** The same for an update, which may also change single models. */
export function addLimitChangeOptions(command: Command, emptyModels: string): Command {
  return addLimitOptions(command, emptyModels)
    .option(
      '--set-model-rpm <model=n>',
      'the same, and other models keep theirs',
      collectModelFigure(parseLimit),
    )
    .option('--set-model-tpm <model=n>', 'the same for tokens', collectModelFigure(parseLimit))
    .option('--unset-model-rpm <model>', 'no limit of requests for this model; repeatable', collectModelName)
    .option('--unset-model-tpm <model>', 'no limit of tokens for this model; repeatable', collectModelName)
}

/** The members of the options that were given. */
export function buildLimitFields(options: LimitOptions): OwnerChanges {
  const { budget, budgetDuration, rpm, tpm, modelRpm, modelTpm, models, tags } = options
  const { setModelRpm, unsetModelRpm, setModelTpm, unsetModelTpm } = options
  return {
    ...(budget === undefined ? {} : { max_budget: nullForNone(budget) }),
    ...(budgetDuration === undefined ? {} : { budget_duration: nullForNone(budgetDuration) }),
    ...(rpm === undefined ? {} : { rpm_limit: nullForNone(rpm) }),
    ...(tpm === undefined ? {} : { tpm_limit: nullForNone(tpm) }),
    ...(modelRpm === undefined ? {} : { model_rpm_limit: nullForNone(modelRpm) }),
    ...(modelTpm === undefined ? {} : { model_tpm_limit: nullForNone(modelTpm) }),
    ...buildModelEntries('set_model_rpm_limit', setModelRpm, unsetModelRpm),
    ...buildModelEntries('set_model_tpm_limit', setModelTpm, unsetModelTpm),
    ...(models === undefined ? {} : { models: nullForNone(models) }),
    ...(tags === undefined ? {} : { tags: nullForNone(tags) }),
  }
}

/** The member `name` of the models that were set and of those that were unset. Throws CommandFailure 2 when one is in both. */
export function buildModelEntries<Name extends string>(
  name: Name,
  set: ModelFigures = {},
  unset: readonly string[] = [],
): { readonly [Member in Name]?: Record<string, number | null> } {
  const both = unset.find(model => Object.hasOwn(set, model))
  if (both !== undefined) throw refuseUsage(`the model ${both} is set and unset at once.`)
  const entries = { ...set, ...Object.fromEntries(unset.map(model => [model, null])) }
  // A computed name is a string to the compiler.
  return Object.keys(entries).length === 0
    ? {}
    : ({ [name]: entries } as { [Member in Name]: typeof entries })
}

/** An update that names nothing to change is a slip. Throws CommandFailure 2. */
export function requireChange<Fields extends object>(fields: Fields): Fields {
  if (Object.keys(fields).length > 0) return fields
  throw refuseUsage('nothing to change. Give at least one option (--help lists them).')
}

export type TeamOption = { readonly team?: string }

/** Lets a list be limited to one team, named as an argument or by an option. The action gets the argument first, then the options. */
export function addTeamFilter(command: Command): Command {
  return command.argument('[team]', 'id of the team (default: all teams)').option('--team <team>', 'the same')
}

/** Undefined: all teams. Throws CommandFailure 2 when two different teams are named. */
export function chooseTeam(argument: string | undefined, { team }: TeamOption): string | undefined {
  if (argument === undefined || team === undefined || argument === team) return argument ?? team
  throw refuseUsage(`two teams are named, ${argument} and ${team}. Name one.`)
}

/** Limits entries to a team, an event and a tool. */
export function addEntryFilter(command: Command): Command {
  return addTeamFilter(command)
    .option('--event <name>', 'only events of exactly this name')
    .option('--tool <name>', 'only entries of this tool, in any case')
}

export type EntryFilterOptions = TeamOption & { readonly event?: string; readonly tool?: string }
