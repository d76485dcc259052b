// Options that commands share: parsers of their values, and the members of a request that they become.
import { createHash } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { refuseUsage } from './command-failure.ts'

/** Value of the word "none", which removes a limit. Not null because commander turns null into an empty text. */
const none = Symbol('none')

/** Option or member of a request → value. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * The given options as members of a request: `names` has the members with another name there (`freezeAt` becomes `freeze_at` without it). Null
 * for the word "none". Throws CommandFailure 2 for a model that is set and unset at once.
 */
export function readFields(options: Fields, names: Readonly<Record<string, string>> = {}): Fields {
  const members: Record<string, unknown> = {}
  for (const [option, value] of Object.entries(options)) {
    const member = names[option] ?? option.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    members[member] = value === none ? null : joinModels(members[member], value)
  }
  return members
}

/** Combines two options into one member, if one sets models and the other unsets some. */
function joinModels(first: unknown, second: unknown): unknown {
  if (first === undefined) return second
  const [set, unset] = [Object(first), Object(second)]
  const both = Object.keys(unset).find(model => Object.hasOwn(set, model))
  if (both !== undefined) throw refuseUsage(`the model ${both} is set and unset at once.`)
  return { ...set, ...unset }
}

/** Help about "none" for every group that accepts it. */
export const noneHelp = `"none" removes a limit. --model-rpm and --model-tpm may be given once per model; they replace all
earlier limits of that kind.`

/** Help for updates. */
export const changeHelp = `Options left out stay unchanged. --set-model-rpm and --unset-model-rpm change single models;
--set-model-tpm and --unset-model-tpm do the same for tokens.`

export function orNone<Value>(parse: (text: string) => Value): (text: string) => Value | symbol {
  return text => (text === 'none' ? none : parse(text))
}

/** Any text, or the word. */
export const textOrNone = orNone(text => text)

/** Throws InvalidArgumentError with the allowed values; commander adds the name of the option. */
export function parseInteger(minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range =
    maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
  return text => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    throw new InvalidArgumentError(`Write a whole number ${range}.`)
  }
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** `now`, or a span from now such as `-2h` and `+1h30m`, becomes ISO 8601; any other text is for the server, which knows the event's zone. */
export function parseTime(text: string): string {
  if (text === 'now') return new Date().toISOString()
  const [, sign, span = ''] = /^([+-])((?:\d+[smhdw])+)$/.exec(text) ?? []
  if (sign === undefined) {
    if (!/^[+-]/.test(text)) return text
    throw new InvalidArgumentError('Write a time such as 2026-11-21T18:00:00+09:00, or from now: -2h, +15m.')
  }
  const parts = [...span.matchAll(/(\d+)([smhdw])/g)]
  const ms = parts.reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitMs[unit as keyof typeof unitMs],
    0,
  )
  const moment = new Date(Date.now() + (sign === '-' ? -ms : ms))
  if (!Number.isNaN(moment.getTime())) return moment.toISOString()
  throw new InvalidArgumentError('The span is too long.')
}

/** Help about times for every group that accepts them. */
export const timeHelp =
  'A time is ISO 8601, "now", or from now: -2h is two hours ago, +15m in a quarter of an hour.'

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

/** The same, or the word. */
function collectModelLimit(text: string, earlier: ModelFigures | symbol | undefined): ModelFigures | symbol {
  if (text === 'none' && earlier === undefined) return none
  if (text === 'none' || typeof earlier === 'symbol')
    throw new InvalidArgumentError('"none" removes the limits of all models and must be the only value.')
  if (text.endsWith('=none'))
    throw new InvalidArgumentError('Leave the model out instead: the limits given replace the earlier ones.')
  return collectModelFigure(parseLimit)(text, earlier)
}

/** A model to unset; may be repeated. */
export function collectModelName(text: string, earlier: Fields = {}): Fields {
  const model = text.trim()
  if (model === '' || model.includes('='))
    throw new InvalidArgumentError('Write the model alone, such as mm-2.5-flash.')
  return { ...earlier, [model]: null }
}

/** Options of teams and of keys. `emptyModels`: what a list without models means. */
export function listLimitOptions(emptyModels: string) {
  return [
    ['--budget <usd>', 'USD to spend in each period', orNone(parseBudget)],
    ['--budget-duration <period>', 'period of the budget: 1d (UTC day), 1w, 1m, or such as 12h', textOrNone],
    ['--rpm <n>', 'requests per minute', orNone(parseInteger(0))],
    ['--tpm <n>', 'tokens per minute', orNone(parseInteger(0))],
    ['--model-rpm <model=n>', 'requests per minute of one model; repeatable', collectModelLimit],
    ['--model-tpm <model=n>', 'tokens per minute of one model; repeatable', collectModelLimit],
    ['--models <a,b>', `models that may be called (none: ${emptyModels})`, orNone(parseList)],
    ['--tags <a,b>', 'tags for --where', orNone(parseList)],
  ] as const
}

/** Options of updates, which can also change single models. */
export const modelLimitOptions = [
  ['--set-model-rpm <model=n>', 'the same; other models keep theirs', collectModelFigure(parseLimit)],
  ['--set-model-tpm <model=n>', 'the same for tokens', collectModelFigure(parseLimit)],
  ['--unset-model-rpm <model>', 'no limit of requests for this model; repeatable', collectModelName],
  ['--unset-model-tpm <model>', 'no limit of tokens for this model; repeatable', collectModelName],
] as const

/** Their members. */
export const limitNames = {
  budget: 'max_budget',
  rpm: 'rpm_limit',
  tpm: 'tpm_limit',
  modelRpm: 'model_rpm_limit',
  modelTpm: 'model_tpm_limit',
  setModelRpm: 'set_model_rpm_limit',
  setModelTpm: 'set_model_tpm_limit',
  unsetModelRpm: 'set_model_rpm_limit',
  unsetModelTpm: 'set_model_tpm_limit',
}

/** An update that names nothing to change is a slip. Throws CommandFailure 2. */
export function requireChange(fields: Fields): Fields {
  if (Object.keys(fields).length > 0) return fields
  throw refuseUsage('nothing to change. Give at least one option (see --help).')
}

/** Lets a list be limited to one team, named as an argument or by an option. The action gets the argument first, then the options. */
export function addTeamFilter(command: Command): Command {
  return command.argument('[team]', 'id of the team (default: all teams)').option('--team <team>', 'the same')
}

/** Undefined: all teams. Throws CommandFailure 2 when two different teams are named. */
export function chooseTeam(argument: string | undefined, option: string | undefined): string | undefined {
  if (argument === undefined || option === undefined || argument === option) return argument ?? option
  throw refuseUsage(`two teams are named, ${argument} and ${option}. Name one.`)
}

export const entryOptions = [
  ['--event <name>', 'only events with exactly this name'],
  ['--tool <name>', 'only entries of this tool, in any case'],
] as const

/** A key or log token becomes its hash; every other name is unchanged, including a masked one such as `sk-...wxyz`. */
export function hashSecret(reference: string): string {
  const isSecret = /^(?:sk-|aitc_)(?!\.\.\.)/.test(reference)
  return isSecret ? createHash('sha256').update(reference).digest('hex') : reference
}
