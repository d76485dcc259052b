// Proto-JSON takes each member in camelCase and in snake_case: brings a body to camelCase, as far as its schema knows it.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { TSchema } from 'typebox'
import { asRecord } from '../../../upstream/narrow-json.ts'

/**
 * A copy with the names that the schema has; what it does not know keeps its name, for the validation to refuse. Null means
 * "not given" to the vendor and is left out. Throws ApiError `invalid_request` for a member given in both spellings, of which
 * nobody could say which one the vendor reads.
 */
export function readProtoJson(schema: TSchema, value: unknown, place = ''): unknown {
  if (Array.isArray(value)) {
    const items = memberSchema(schema, 'items')
    if (items === undefined) return value
    return value.map((item, index) => readProtoJson(items, item, `${place}[${index}]`))
  }
  const record = asRecord(value)
  const properties = asRecord('properties' in schema ? schema.properties : undefined)
  if (record === null || properties === null) return value
  const members = new Map<string, unknown>()
  for (const [given, member] of Object.entries(record)) {
    if (member === null) continue
    const name = findName(properties, given)
    const path = place === '' ? name : `${place}.${name}`
    if (members.has(name)) {
      throw invalidRequest(path, `${path} is given in both spellings.`)
    }
    const known = memberSchema(properties, name)
    members.set(name, known === undefined ? member : readProtoJson(known, member, path))
  }
  return Object.fromEntries(members)
}

function findName(properties: object, given: string): string {
  if (Object.hasOwn(properties, given) || !given.includes('_')) return given
  const camel = given.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(properties, camel) ? camel : given
}

function memberSchema(owner: object, name: string): TSchema | undefined {
  if (!Object.hasOwn(owner, name)) return undefined
  return asRecord(Object.getOwnPropertyDescriptor(owner, name)?.value) ?? undefined
}
