// Turns query values, which are text, into the numbers and booleans that the schema requires, nothing else.
import type { TSchema } from 'typebox'

const decimal = /^-?\d+(\.\d+)?$/

/**
 * Known parameters only (unknown ones are ignored), and the first of repeated ones. An empty optional one (`limit=`) is left out.
 * A value that is not a number or boolean stays text, so that the validation can name it.
 */
export function coerceQuery(schema: TSchema, parameters: URLSearchParams): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const required: readonly unknown[] =
    'required' in schema && Array.isArray(schema.required) ? schema.required : []
  for (const [name, member] of Object.entries(propertiesOf(schema))) {
    const text = parameters.get(name)
    if (text === '' && !required.includes(name)) continue
    if (text !== null) values[name] = coerce(text, 'type' in member ? member.type : undefined)
  }
  return values
}

/** The members of an object schema by name; empty for any other schema. */
export function propertiesOf(schema: TSchema): Readonly<Record<string, TSchema>> {
  return 'properties' in schema && typeof schema.properties === 'object' && schema.properties !== null
    ? { ...schema.properties }
    : {}
}

function coerce(text: string, type: unknown): unknown {
  if (type === 'integer' || type === 'number') return decimal.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}
