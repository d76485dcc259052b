// Limits a JSON Schema to what Anthropic's structured outputs check. Everything else becomes part of a description, which the model reads.
import { asRecord } from '../../narrow-json.ts'

type Schema = Readonly<Record<string, unknown>>

/** Kept as they are. */
const kept: readonly string[] = ['$ref', 'type', 'enum', 'const', 'title', 'required', 'default']
const formats: readonly unknown[] = [
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]

/** Linear: each member is read once, and written once. Objects get no members besides those that are declared. */
export function limitSchema(schema: Schema): Schema {
  const limited: Record<string, unknown> = {}
  const others: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    if (name === '$defs' || name === 'definitions' || name === 'properties')
      limited[name] = limitMembers(value)
    else if (name === 'anyOf' || name === 'oneOf') limited.anyOf = limitList(value)
    else if (name === 'allOf') limited.allOf = limitList(value)
    else if (name === 'items') limited.items = limitAny(value)
    else if (kept.includes(name) || isKept(name, value)) limited[name] = value
    else if (name !== '$schema' && name !== 'additionalProperties' && name !== 'description')
      others[name] = value
  }
  if (isObject(schema)) limited.additionalProperties = false
  const rest = Object.keys(others).length === 0 ? '' : JSON.stringify(others)
  const description = [schema.description, rest].filter(text => text).join('\n\n')
  return description === '' ? limited : { ...limited, description }
}

function isKept(name: string, value: unknown): boolean {
  return (
    (name === 'format' && formats.includes(value)) || (name === 'minItems' && (value === 0 || value === 1))
  )
}

function isObject({ type, properties }: Schema): boolean {
  return type === 'object' || properties !== undefined || (Array.isArray(type) && type.includes('object'))
}

function limitAny(value: unknown): unknown {
  const schema = asRecord(value)
  return schema === null ? value : limitSchema(schema)
}

function limitList(value: unknown): unknown {
  return Array.isArray(value) ? value.map(limitAny) : value
}

function limitMembers(value: unknown): unknown {
  const members = asRecord(value)
  if (members === null) return value
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, limitAny(member)]))
}
