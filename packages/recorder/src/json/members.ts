// Reads untrusted JSON values without assuming their shape.

/** Nothing in it is certain. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** null if the text is no JSON object. */
export function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The value under these names; undefined if there is none. */
export function memberAt(value: unknown, ...names: readonly string[]): unknown {
  let found = value
  for (const name of names) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined
  return found
}

/** The first of these members that is a text and not empty, or else null. */
export function textOf(value: unknown, ...names: string[]): string | null {
  for (const name of names) {
    const text = memberAt(value, name)
    if (typeof text === 'string' && text !== '') return text
  }
  return null
}

/** The first of these members that is an object, or else an empty object. */
export function objectOf(value: unknown, ...names: string[]): JsonObject {
  for (const name of names) {
    const object = memberAt(value, name)
    if (isObject(object)) return object
  }
  return {}
}

/** The non-empty texts in a member that is a list. */
export function textsOf(value: unknown, name: string): string[] {
  return listOf(value, name)
    .filter(item => typeof item === 'string')
    .filter(Boolean)
}

/** A member that is a list, or else an empty list. */
export function listOf(value: unknown, name: string): unknown[] {
  const list = memberAt(value, name)
  return Array.isArray(list) ? list : []
}

/** For comparing texts whose parts were joined in different ways. */
export function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}

/** Texts stay as they are. Other values become their JSON text, and null stands for nothing. */
export function asText(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : toJsonText(value)
}

/** `tool_input` may be an object or a text (spec 2.11). */
export function asInput(value: unknown): string | object | null {
  return typeof value === 'object' ? value : asText(value)
}

/** The moment that a tool gives as ISO 8601 or Unix ms, or else the time of our own clock. */
export function asMoment(value: unknown, otherwise: Date): Date {
  const moment = typeof value === 'string' || typeof value === 'number' ? new Date(value) : otherwise
  const isUsable = !Number.isNaN(moment.getTime()) && moment.getTime() > 0
  return isUsable ? moment : otherwise
}

/** Far below the depth at which JSON.stringify fails. */
const maxLevels = 1000

/** Values deeper than a thousand levels become `"…"`. Nothing else is lost. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    // The stack was too small.
    return JSON.stringify(keepLevels(value, maxLevels))
  }
}

function keepLevels(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return '…'
  if (Array.isArray(value)) return value.map(item => keepLevels(item, levels - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, keepLevels(member, levels - 1)]),
  )
}
