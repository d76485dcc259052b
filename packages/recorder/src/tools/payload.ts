// Reads values from a payload without trusting its shape.
import { toJsonText } from './json-text.ts'
import type { Payload } from './tool.ts'

/** The first of these members that is a text and not empty, or else null. */
export function textOf(payload: Payload, ...names: string[]): string | null {
  for (const name of names) {
    const value = payload[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

/** The first of these members that is an object, or else an empty object. */
export function objectOf(payload: Payload, ...names: string[]): Payload {
  for (const name of names) {
    const value = payload[name]
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  }
  return {}
}

/** The non-empty texts in a member that is a list. */
export function textsOf(payload: Payload, name: string): string[] {
  const value = payload[name]
  return Array.isArray(value) ? value.filter(item => typeof item === 'string' && item !== '') : []
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
