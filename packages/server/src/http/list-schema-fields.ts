// Flattens a JSON Schema into the rows of a reference table: `messages[].role`, its type, whether it is required.
import type { ShownSchema } from './openapi.ts'

export type SchemaField = {
  readonly path: string
  readonly type: string
  readonly required: boolean
  /** Description and bounds, as sentences. */
  readonly notes: string
}

const deepestLevel = 5

/** The members of an object schema, those of nested objects and arrays below their parent. */
export function listSchemaFields(schema: ShownSchema, prefix = '', level = 0): SchemaField[] {
  if (level > deepestLevel) return []
  const required = asList(schema.required)
  return Object.entries(asSchema(schema.properties) ?? {}).flatMap(([name, value]) => {
    const member = asSchema(value) ?? {}
    const path = `${prefix}${name}`
    const row = { path, type: nameType(member), required: required.includes(name), notes: describe(member) }
    return [row, ...listInside(member, path, level + 1)]
  })
}

/** `integer`, `array of string`, `"a" or "b"`, `string or null`. */
export function nameType(schema: ShownSchema): string {
  const { enum: values, const: constant, type } = schema
  if (Array.isArray(values)) return values.map(value => JSON.stringify(value)).join(' or ')
  if (constant !== undefined) return JSON.stringify(constant)
  const branches = branchesOf(schema)
  if (branches.length > 0) return [...new Set(branches.map(nameType))].join(' or ')
  if (type === 'array') return `array of ${nameType(asSchema(schema.items) ?? {})}`
  if (Array.isArray(type)) return type.join(' or ')
  return typeof type === 'string' ? type : 'any'
}

function listInside(schema: ShownSchema, path: string, level: number): SchemaField[] {
  const items = asSchema(schema.items)
  if (items !== null) return listInside(items, `${path}[]`, level)
  const inBranches = branchesOf(schema).flatMap(branch => listInside(branch, path, level))
  return mergeRows([...listSchemaFields(schema, `${path}.`, level), ...inBranches])
}

/** A member that several branches have is one row; it is required where all of them require it. */
function mergeRows(rows: readonly SchemaField[]): SchemaField[] {
  const merged = new Map<string, SchemaField>()
  for (const row of rows) {
    const known = merged.get(row.path)
    if (known === undefined) merged.set(row.path, row)
    else {
      merged.set(row.path, {
        path: row.path,
        type: [...new Set([...known.type.split(' or '), ...row.type.split(' or ')])].join(' or '),
        required: known.required && row.required,
        notes: known.notes.includes(row.notes) ? known.notes : `${known.notes} ${row.notes}`.trim(),
      })
    }
  }
  return [...merged.values()]
}

const bounds: Readonly<Record<string, (limit: unknown) => string>> = {
  minimum: limit => `At least ${limit}.`,
  maximum: limit => `At most ${limit}.`,
  minLength: limit => (limit === 1 ? 'Not empty.' : `At least ${limit} characters.`),
  maxLength: limit => `At most ${limit} characters.`,
  minItems: limit => (limit === 1 ? 'Not empty.' : `At least ${limit} items.`),
  maxItems: limit => `At most ${limit} items.`,
  default: limit => `Default ${JSON.stringify(limit)}.`,
}

function describe(schema: ShownSchema): string {
  const own = [schema, ...branchesOf(schema)]
  const sentences = own.flatMap(each => {
    const text = each.description
    const limits = Object.entries(bounds).flatMap(([keyword, write]) =>
      each[keyword] === undefined ? [] : [write(each[keyword])],
    )
    return typeof text === 'string' ? [text.endsWith('.') ? text : `${text}.`, ...limits] : limits
  })
  return [...new Set(sentences)].join(' ')
}

function branchesOf(schema: ShownSchema): ShownSchema[] {
  const branches = [...asList(schema.anyOf), ...asList(schema.oneOf), ...asList(schema.allOf)]
  return branches.map(asSchema).filter(branch => branch !== null)
}

function asSchema(value: unknown): ShownSchema | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
