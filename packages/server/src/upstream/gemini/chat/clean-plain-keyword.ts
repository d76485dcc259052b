// Converts schema keywords that contain no schema themselves for the vendor.
import type { JsonRecord } from '../../narrow-json.ts'

/** Passed unchanged if they have the right type. Keywords other than these and those below are left out. */
const texts = new Set(['title', 'description', 'pattern'])
const numbers = new Set(['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'])
const sizes = new Set(['minProperties', 'maxProperties'])
const anything = new Set(['default', 'example', 'examples'])
const formats = new Set(['enum', 'date-time', 'date', 'time', 'int32', 'int64', 'float', 'double'])
const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

/** A keyword and its value for the vendor; null for one that is left out. */
export type Member = readonly [string, unknown] | null

/** A keyword that contains no schema. */
export function cleanPlain(key: string, value: unknown, node: JsonRecord, takesNumbers: boolean): Member {
  if (anything.has(key)) return [key, value]
  if (texts.has(key)) return typeof value === 'string' ? [key, value] : null
  if (numbers.has(key) || sizes.has(key)) return typeof value === 'number' ? [key, value] : null
  switch (key) {
    case 'type':
      return cleanType(value)
    case 'nullable':
      return typeof value === 'boolean' ? [key, value] : null
    case 'propertyOrdering':
      return Array.isArray(value) ? [key, value] : null
    case 'format':
      return typeof value === 'string' && formats.has(value) ? [key, value] : null
    case 'enum':
      return cleanEnum(value, takesNumbers)
    case 'const':
      return node.enum === undefined ? cleanEnum([value], takesNumbers) : null
    case 'exclusiveMinimum':
      return node.minimum === undefined
        ? includeLimit('minimum', value, node.type === 'integer' ? 1 : 0)
        : null
    case 'exclusiveMaximum':
      return node.maximum === undefined
        ? includeLimit('maximum', value, node.type === 'integer' ? -1 : 0)
        : null
    default:
      return null
  }
}

function cleanType(value: unknown): Member {
  const isKnown = (name: unknown) => typeof name === 'string' && types.has(name.toLowerCase())
  if (!Array.isArray(value)) return isKnown(value) ? ['type', value] : null
  const names = [...new Set(value.filter(isKnown))]
  if (names.length === 0) return null
  if (names.length === 1) return ['type', names[0]]
  return ['type', names.length === value.length ? value : names]
}

/** The vendor accepts no empty texts, and numbers only in answers. A null among them is expressed by the type. */
function cleanEnum(value: unknown, takesNumbers: boolean): Member {
  if (!Array.isArray(value)) return null
  const isChoice = (choice: unknown) =>
    typeof choice === 'string' || (takesNumbers && typeof choice === 'number')
  const choices = keepWhere(value, choice => isChoice(choice) && choice !== '')
  const isComplete = value.every(choice => isChoice(choice) || choice === null)
  return choices.length === 0 || !isComplete ? null : ['enum', choices]
}

function includeLimit(key: string, value: unknown, step: number): Member {
  return typeof value === 'number' ? [key, value + step] : null
}

/** The same list if everything is kept. */
export function keepWhere(list: readonly unknown[], isKept: (item: unknown) => boolean): readonly unknown[] {
  return list.every(isKept) ? list : list.filter(isKept)
}
