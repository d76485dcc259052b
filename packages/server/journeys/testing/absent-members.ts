// Generates each value from a schema twice: with null for absent members, as some clients write it, and without them.
import fc from 'fast-check'
import type { ShownSchema } from '../../src/http/reply-headers.ts'

export type Written = { readonly given: unknown; readonly meant: unknown }

const isSchema = (value: unknown): value is ShownSchema => typeof value === 'object' && value !== null
const numberOr = (value: unknown, other: number) => (typeof value === 'number' ? value : other)

/** Any valid value, with null for some optional members at any depth. */
export function writtenWithNulls(schema: ShownSchema): fc.Arbitrary<Written> {
  const { anyOf, enum: values, type } = schema
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.filter(isSchema).map(writtenWithNulls))
  if (Array.isArray(values)) return plain(fc.constantFrom(...values))
  if ('const' in schema) return plain(fc.constant(schema.const))
  switch (type) {
    case 'object':
      return writeObject(schema)
    case 'array':
      return writeArray(schema)
    case 'string':
      return plain(writeString(schema))
    case 'integer':
    case 'number':
      return plain(writeNumber(schema))
    case 'boolean':
      return plain(fc.boolean())
    case 'null':
      return plain(fc.constant(null))
    default:
      return plain(fc.constant('anything'))
  }
}

function plain(value: fc.Arbitrary<unknown>): fc.Arbitrary<Written> {
  return value.map(given => ({ given, meant: given }))
}

function writeObject({ properties, required, patternProperties }: ShownSchema): fc.Arbitrary<Written> {
  if (!isSchema(properties)) {
    const [values] = isSchema(patternProperties) ? Object.values(patternProperties) : []
    return isSchema(values) ? writtenWithNulls(values).map(inRecord) : plain(fc.constant({}))
  }
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  const members = Object.entries(properties).map(([name, member]) => {
    const value = isSchema(member) ? writtenWithNulls(member) : plain(fc.constant('anything'))
    const known = value.map(written => ({ name, written }))
    if (needed.includes(name)) return known
    return fc.oneof(known, fc.constantFrom({ name, written: null }, null))
  })
  return fc.tuple(...members).map(listed => {
    const found = listed.flatMap(member => member ?? [])
    return {
      given: Object.fromEntries(
        found.map(({ name, written }) => [name, written === null ? null : written.given]),
      ),
      meant: Object.fromEntries(
        found.flatMap(({ name, written }) => (written === null ? [] : [[name, written.meant]])),
      ),
    }
  })
}

const inRecord = ({ given, meant }: Written): Written => ({ given: { one: given }, meant: { one: meant } })

function writeArray({ items, minItems, maxItems }: ShownSchema): fc.Arbitrary<Written> {
  const minLength = numberOr(minItems, 0)
  const maxLength = Math.min(minLength + 1, numberOr(maxItems, minLength + 1))
  const item = isSchema(items) ? writtenWithNulls(items) : plain(fc.constant('anything'))
  return fc.array(item, { minLength, maxLength }).map(list => ({
    given: list.map(({ given }) => given),
    meant: list.map(({ meant }) => meant),
  }))
}

function writeString({ pattern, minLength }: ShownSchema): fc.Arbitrary<string> {
  const texts =
    typeof pattern === 'string'
      ? fc.stringMatching(new RegExp(pattern), { maxLength: 20 })
      : fc.constantFrom('', 'text', 'Other text')
  return texts.filter(text => text.length >= numberOr(minLength, 0))
}

function writeNumber({ minimum, maximum }: ShownSchema): fc.Arbitrary<number> {
  const min = Math.ceil(numberOr(minimum, 0))
  return fc.integer({ min, max: Math.min(numberOr(maximum, min + 5), min + 5) })
}

/** Removes null members at any depth. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]))
}
