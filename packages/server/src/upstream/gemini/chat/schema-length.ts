// How long a schema is, about, in characters of JSON: what its clean form may grow to depends on it.
import { asRecord, type JsonRecord } from '../../narrow-json.ts'

/** Keywords that hold schemas: these are measured by themselves. */
const schemaKeywords = new Set([
  'properties',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
  '$defs',
  'additionalProperties',
])

/** About how many characters of JSON a schema takes without the schemas in it. */
export function measureOwnLength(node: JsonRecord): number {
  let length = 2
  for (const [key, value] of Object.entries(node)) {
    length += key.length + 4
    if (!schemaKeywords.has(key)) length += measureLength(value)
    else if (key === 'properties')
      for (const name of Object.keys(asRecord(value) ?? {})) length += name.length + 4
  }
  return length
}

/** About how many characters of JSON a value takes. */
function measureLength(value: unknown): number {
  return typeof value === 'object' ? survey(value).length : lengthOfPlain(value)
}

/** `length`: about how many characters of JSON a value takes. `canGrow`: it has references or schemas to merge. */
export function survey(value: unknown): { readonly length: number; readonly canGrow: boolean } {
  let length = 0
  let canGrow = false
  const open: unknown[] = [value]
  for (let next = open.pop(); typeof next === 'object'; next = open.pop()) {
    if (next === null) continue
    for (const key of Object.keys(next)) {
      length += key.length + 4
      const inner: unknown = Reflect.get(next, key)
      if (typeof inner === 'object' && inner !== null) open.push(inner)
      else length += lengthOfPlain(inner)
      canGrow ||= key === '$ref' || key === 'allOf'
    }
  }
  return { length, canGrow }
}

function lengthOfPlain(value: unknown): number {
  return typeof value === 'string' ? value.length + 3 : 6
}
