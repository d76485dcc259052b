// Makes a value that satisfies a schema, for JSON answers and the arguments of function calls. Pure and repeatable.
import { isObject, type Json } from '../json.ts'

/** Beyond this depth only required members are written, so that recursive schemas end. */
const fullDepth = 4
const deepest = 24

/** Accepts the vendor's schema (`OBJECT`) and JSON Schema (`object`, `$ref`, `const` …). Patterns are ignored. */
export function sampleValue(schema: unknown): unknown {
  return sample(schema, schema, 0)
}

function sample(schema: unknown, root: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > deepest) return 'sandbox'
  if (typeof schema.$ref === 'string') return sample(resolve(schema.$ref, root), root, depth + 1)
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0]
  const choices = [schema.anyOf, schema.any_of, schema.oneOf].find(Array.isArray)
  if (choices !== undefined) return sample(preferEnding(choices, depth), root, depth + 1)
  if (Array.isArray(schema.allOf)) return sampleAll(schema, schema.allOf, root, depth)
  switch (readType(schema, depth)) {
    case 'object':
      return sampleObject(schema, root, depth)
    case 'array':
      return sampleArray(schema, root, depth)
    case 'number':
      return sampleNumber(schema, false)
    case 'integer':
      return sampleNumber(schema, true)
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return sampleText(schema)
  }
}

function resolve(reference: string, root: unknown): unknown {
  return reference
    .replace(/^#\/?/, '')
    .split('/')
    .filter(step => step !== '')
    .map(step => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((place, step) => (isObject(place) ? place[step] : undefined), root)
}

/** Picks a choice that ends the recursion at great depth. */
function preferEnding(choices: readonly unknown[], depth: number): unknown {
  if (depth < fullDepth) return choices[0]
  const plain = choices.find(choice => isObject(choice) && choice.$ref === undefined && !isCompound(choice))
  return plain ?? choices[0]
}

function isCompound(schema: Json): boolean {
  return ['object', 'array'].includes(String(schema.type).toLowerCase())
}

function sampleAll(schema: Json, all: readonly unknown[], root: unknown, depth: number): unknown {
  const { allOf: _, ...own } = schema
  const values = [...all, own]
    .filter(part => isObject(part) && Object.keys(part).length > 0)
    .map(part => sample(part, root, depth + 1))
  const objects = values.filter(isObject)
  return objects.length > 0 ? Object.assign({}, ...objects) : values[0]
}

function readType(schema: Json, depth: number): string {
  const { type } = schema
  const names = (Array.isArray(type) ? type : [type]).filter(name => typeof name === 'string')
  const [first] = names.map(name => name.toLowerCase()).filter(name => name !== 'null')
  if (schema.nullable === true && depth >= fullDepth) return 'null'
  if (first !== undefined) return first
  if (names.length > 0) return 'null'
  if (isObject(schema.properties)) return 'object'
  if (schema.items !== undefined) return 'array'
  return 'string'
}

function sampleObject(schema: Json, root: unknown, depth: number): Json {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.map(String) : []
  const names = depth < fullDepth ? [...new Set([...required, ...Object.keys(properties)])] : required
  const members = names.map(name => [name, sample(properties[name], root, depth + 1)] as const)
  const missing = (readNumber(schema, 'minProperties') ?? 0) - members.length
  const extra = Array.from({ length: Math.max(0, missing) }, (_, index) => {
    return [`key${index + 1}`, sample(schema.additionalProperties, root, depth + 1)] as const
  })
  return Object.fromEntries([...members, ...extra])
}

function sampleArray(schema: Json, root: unknown, depth: number): unknown[] {
  if (Array.isArray(schema.prefixItems)) return schema.prefixItems.map(item => sample(item, root, depth + 1))
  const wanted = depth < fullDepth ? 1 : 0
  const least = readNumber(schema, 'minItems') ?? 0
  const length = Math.max(least, Math.min(wanted, readNumber(schema, 'maxItems') ?? wanted))
  return Array.from({ length }, () => sample(schema.items, root, depth + 1))
}

function sampleNumber(schema: Json, isWhole: boolean): number {
  const step = readNumber(schema, 'multipleOf') ?? (isWhole ? 1 : 0)
  const above = readNumber(schema, 'exclusiveMinimum')
  const below = readNumber(schema, 'exclusiveMaximum')
  const gap = step > 0 ? step : 0.5
  const least = readNumber(schema, 'minimum') ?? (above === undefined ? undefined : above + gap)
  const most = readNumber(schema, 'maximum') ?? (below === undefined ? undefined : below - gap)
  const start = least ?? Math.min(most ?? 1, 1)
  if (step <= 0) return most === undefined || least === undefined ? start : (least + most) / 2
  const up = Math.ceil(start / step) * step
  return most !== undefined && up > most ? Math.floor(most / step) * step : up
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-02T03:04:05Z',
  date: '2026-01-02',
  time: '03:04:05Z',
  duration: 'PT1M',
  email: 'sandbox@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

function sampleText(schema: Json): string {
  const known = typeof schema.format === 'string' ? formats[schema.format] : undefined
  if (known !== undefined) return known
  const least = readNumber(schema, 'minLength') ?? 0
  const most = readNumber(schema, 'maxLength') ?? Number.POSITIVE_INFINITY
  return 'sandbox'.padEnd(least, 'x').slice(0, Math.max(least, Math.min(most, 100_000)))
}

/** The vendor's schema writes its 64-bit bounds as strings. */
function readNumber(schema: Json, name: string): number | undefined {
  const value = typeof schema[name] === 'string' ? Number(schema[name]) : schema[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
