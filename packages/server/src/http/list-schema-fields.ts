// Flattens a JSON Schema into the rows of a reference table: `messages[].role`, its type, whether it is required.
import type { ShownSchema } from './reply-headers.ts'

export type SchemaField = {
  readonly path: string
  readonly type: string
  readonly required: boolean
  /** Description and bounds, as sentences. */
  readonly notes: string
}

const deepestLevel = 5

/**
 * The members of an object schema, with those of nested objects and arrays below their parent. For a union: the members of all its
 * objects. One is required if all objects require it; otherwise its notes say when it is required.
 */
export function listSchemaFields(schema: ShownSchema, prefix = '', level = 0): SchemaField[] {
  if (level > deepestLevel) return []
  const branches = leavesOf(schema)
  return branches.length === 0 ? listMembers(schema, prefix, level) : listUnion(branches, prefix, level)
}

function listMembers(schema: ShownSchema, prefix: string, level: number): SchemaField[] {
  const items = asSchema(schema.items)
  if (items !== null) return listSchemaFields(items, `${prefix.replace(/\.$/, '')}[].`, level)
  const required = asList(schema.required)
  return Object.entries(asSchema(schema.properties) ?? {}).flatMap(([name, value]) => {
    const member = asSchema(value) ?? {}
    const path = `${prefix}${name}`
    const row = { path, type: nameType(member), required: required.includes(name), notes: describe(member) }
    return [row, ...listSchemaFields(member, `${path}.`, level + 1)]
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
  if (typeof type === 'string') return type
  return schema.contentMediaType === undefined ? 'any' : 'file'
}

/** Lists and objects have paths of their own: only those of the same kind are compared. */
function listUnion(branches: readonly ShownSchema[], prefix: string, level: number): SchemaField[] {
  const objects = branches.filter(branch => asSchema(branch.properties) !== null)
  const others = branches.filter(branch => asSchema(branch.properties) === null)
  return mergeRows([
    ...warnWhenRequired(
      objects,
      objects.map(branch => listMembers(branch, prefix, level)),
      prefix,
    ),
    ...others.flatMap(branch => listMembers(branch, prefix, level)),
  ])
}

/** A member that only some objects of the union require is listed as optional, and its notes say when it is required. */
function warnWhenRequired(
  objects: readonly ShownSchema[],
  rowsOf: readonly (readonly SchemaField[])[],
  prefix: string,
): SchemaField[] {
  const isOwn = ({ path }: SchemaField) => !/[.[]/.test(path.slice(prefix.length))
  const requiredIn = (path: string) => rowsOf.map(rows => rows.some(row => row.path === path && row.required))
  const kind = findKind(objects)
  return rowsOf.flat().map(row => {
    if (!isOwn(row) || !row.required) return row
    const where = requiredIn(row.path)
    if (where.every(Boolean)) return row
    const listValues = (isRequired: boolean) =>
      objects.flatMap((branch, index) =>
        kind !== null && where[index] === isRequired ? valuesOf(branch, kind) : [],
      )
    const values = new Set(listValues(true))
    const areDistinguishedBy = values.size > 0 && !listValues(false).some(value => values.has(value))
    const note = areDistinguishedBy
      ? `Required if \`${kind}\` is ${[...values].join(' or ')}.`
      : 'Required in some forms.'
    return { ...row, required: false, notes: `${note} ${row.notes}`.trim() }
  })
}

/** The member that distinguishes the objects by its value, such as `role` or `type`. */
function findKind(objects: readonly ShownSchema[]): string | null {
  const [first] = objects
  const names = Object.keys(asSchema(first?.properties) ?? {})
  return names.find(name => objects.every(branch => valuesOf(branch, name).length > 0)) ?? null
}

function valuesOf(branch: ShownSchema, name: string): string[] {
  const { enum: values, const: constant } = asSchema(asSchema(branch.properties)?.[name]) ?? {}
  if (constant !== undefined) return [JSON.stringify(constant)]
  return asList(values).map(value => JSON.stringify(value))
}

/** A member of multiple branches is one row; below the members of the union it is required if all of them require it. */
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
  // Readers do not need to know the largest safe integer as a bound.
  maximum: limit => (limit === Number.MAX_SAFE_INTEGER ? '' : `At most ${limit}.`),
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
  return [...new Set(sentences)].filter(sentence => sentence !== '').join(' ')
}

function branchesOf(schema: ShownSchema): ShownSchema[] {
  const branches = [...asList(schema.anyOf), ...asList(schema.oneOf)]
  return branches.map(asSchema).filter(branch => branch !== null)
}

/** The schemas of a union, including unions of unions; empty if it is not a union. */
function leavesOf(schema: ShownSchema): ShownSchema[] {
  return branchesOf(schema).flatMap(branch => {
    const inner = leavesOf(branch)
    return inner.length === 0 ? [branch] : inner
  })
}

function asSchema(value: unknown): ShownSchema | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
