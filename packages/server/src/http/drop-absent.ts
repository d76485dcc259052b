// Removes optional members that a client sent without a value (null, or an empty field of a form) before they are validated.
import { type Substitutes, substitutesOption } from '@fairgate/contracts/management/refused-members.ts'
import type { TSchema } from 'typebox'

/** True if a value means "not given" for a member that may be left out. */
export type IsAbsent = (value: unknown) => boolean

export const isNull: IsAbsent = value => value === null

/** Forms have no null: an empty field replaces it. */
export const isEmptyField: IsAbsent = value => value === ''

/**
 * Returns the value without the absent members that `schema` marks as optional, at any depth; the value itself if there are none. A
 * null that the schema accepts is kept: it may mean more than "not given". Required members are kept, for the validation to refuse.
 */
export function dropAbsent(schema: TSchema, value: unknown, isAbsent: IsAbsent): unknown {
  return drop({ ...schema }, value, isAbsent)
}

/** Checked before the schema is followed, which takes ten times as long. */
function holdsAbsent(value: unknown, isAbsent: IsAbsent): boolean {
  if (isAbsent(value)) return true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(item => holdsAbsent(item, isAbsent))
  for (const name in value) if (holdsAbsent(Reflect.get(value, name), isAbsent)) return true
  return false
}

type Node = Readonly<Record<string, unknown>>

function drop(node: Node, value: unknown, isAbsent: IsAbsent): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(node.anyOf)) {
    return branchesOf(node, value, isAbsent).reduce<unknown>(
      (rest, branch) => drop(branch, rest, isAbsent),
      value,
    )
  }
  if (Array.isArray(value)) {
    const { items } = node
    if (!isNode(items)) return value
    return mapItems(value, item => (holdsAbsent(item, isAbsent) ? drop(items, item, isAbsent) : item))
  }
  return value instanceof Blob ? value : dropMembers(node, value, isAbsent)
}

function dropMembers(node: Node, value: object, isAbsent: IsAbsent): unknown {
  const { properties, required } = node
  if (!isNode(properties)) return value
  const substitutes = substitutesOf(node)
  const mustBeGiven: readonly unknown[] = Array.isArray(required) ? required : []
  let isChanged = false
  const kept: [string, unknown][] = []
  for (const [name, member] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!isNode(schema)) {
      // Clients send members that they do not use as null or empty, and nothing is lost then.
      if (Object.hasOwn(substitutes, name) && isNothing(member)) isChanged = true
      else kept.push([name, member])
    } else if (isAbsent(member) && !mustBeGiven.includes(name) && !(member === null && takesNull(schema)))
      isChanged = true
    else {
      const rest = drop(schema, member, isAbsent)
      isChanged ||= rest !== member
      kept.push([name, rest])
    }
  }
  return isChanged ? Object.fromEntries(kept) : value
}

/** The members that an object's schema refuses by name, with what to send instead. */
export function substitutesOf(schema: unknown): Substitutes {
  const table = isNode(schema) ? schema[substitutesOption] : undefined
  return isTable(table) ? table : {}
}

function isTable(value: unknown): value is Substitutes {
  return isNode(value) && Object.values(value).every(text => typeof text === 'string')
}

function isNothing(value: unknown): boolean {
  if (value === null || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

function mapItems(items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(change)
  return changed.some((item, index) => item !== items[index]) ? changed : items
}

/** The branches of a union that can match the value: of its kind, and with its fixed members such as `type` and `role`. */
function branchesOf({ anyOf }: Node, value: object, isAbsent: IsAbsent): Node[] {
  const branches: readonly unknown[] = Array.isArray(anyOf) ? anyOf : []
  return branches.filter(isNode).filter(branch => {
    if (Array.isArray(branch.anyOf)) return true
    if (Array.isArray(value)) return branch.type === 'array'
    const properties = isNode(branch.properties) ? branch.properties : {}
    return Object.entries(value).every(([name, member]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
      return !isNode(schema) || isAbsent(member) || mayBe(schema, member)
    })
  })
}

function mayBe(schema: Node, value: unknown): boolean {
  if ('const' in schema) return schema.const === value
  return !Array.isArray(schema.enum) || schema.enum.includes(value)
}

function takesNull(schema: Node): boolean {
  const { anyOf, type } = schema
  if (Array.isArray(anyOf)) return anyOf.filter(isNode).some(takesNull)
  if ('const' in schema || 'enum' in schema) return mayBe(schema, null)
  return type === undefined || type === 'null'
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
