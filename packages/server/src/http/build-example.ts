// Makes up the smallest value that a schema accepts, for the curl examples of the reference page.
import type { ShownSchema } from './openapi.ts'

/** The schema's own example or default where it has one; required members only. */
export function buildExample(schema: unknown, name = ''): unknown {
  if (!isSchema(schema)) return 'text'
  const { examples, default: preset, enum: values, const: constant, anyOf: branches } = schema
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if (preset !== undefined) return preset
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(branches)) return buildExample(branches[0], name)
  switch (schema.type) {
    case 'object':
      return buildObject(schema)
    case 'array':
      return [buildExample(schema.items, name)]
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    default:
      return name === '' ? 'text' : `<${name}>`
  }
}

function buildObject(schema: ShownSchema): Record<string, unknown> {
  const { properties, required } = schema
  if (!isSchema(properties) || !Array.isArray(required)) return {}
  return Object.fromEntries(
    required.map(name => [String(name), buildExample(properties[String(name)], String(name))]),
  )
}

function isSchema(value: unknown): value is ShownSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
