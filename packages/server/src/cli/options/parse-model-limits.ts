// Reads `model=N`, which may be given once for each model, or `none`.
import { InvalidArgumentError } from 'commander'
import { type None, none } from './none.ts'
import { parseInteger } from './parse-number.ts'

export type ModelLimits = Record<string, number>

const parseLimit = parseInteger(0)

/** `earlier` is what the same option gave before. Throws InvalidArgumentError. */
export function collectModelLimit(text: string, earlier: ModelLimits | None | undefined): ModelLimits | None {
  if (text === none && earlier === undefined) return none
  if (text === none || earlier === none) {
    throw new InvalidArgumentError(`"${none}" takes the limits of all models away and stands alone.`)
  }
  const split = text.lastIndexOf('=')
  const model = text.slice(0, Math.max(split, 0)).trim()
  if (model === '') throw new InvalidArgumentError('Write model=N, such as mm-2.5-flash=30.')
  if (text.slice(split + 1) === none) {
    throw new InvalidArgumentError('Leave the model out instead: the limits given replace those set before.')
  }
  if (earlier !== undefined && Object.hasOwn(earlier, model)) {
    throw new InvalidArgumentError(`The model ${model} is given twice.`)
  }
  return { ...earlier, [model]: parseLimit(text.slice(split + 1)) }
}
