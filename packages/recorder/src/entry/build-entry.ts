// Puts an event and the facts of its repository together into the entry that is sent (spec 2.10).
import { cutText } from '@fairgate/contracts/logbook/cut-text.ts'
import { maximumEntryBytes, maximumEntryDepth, truncationLimits } from '@fairgate/contracts/logbook/limits.ts'
import type { LogEntry } from '@fairgate/contracts/logbook/log-entry.ts'
import type { RepositoryFacts } from '../git/read-facts.ts'
import { memberAt, toJsonText } from '../json/members.ts'
import type { EventFields, HappenedEvent } from '../tools/tool.ts'

export function buildEntry(
  { ts, tool, event, sessionId, fields }: HappenedEvent,
  facts: RepositoryFacts,
): LogEntry & FittedFields {
  const { repo, branch, commit, student } = facts
  const head = { ts: formatLocalTime(ts), tool, event, session_id: sessionId, repo, branch, commit, student }
  return { ...head, ...fitFields(cutFields(fields)) }
}

/** Members that are longer than the specification allows are cut, never within a character. Everything else stays as it was. */
export function cutFields(fields: EventFields): EventFields {
  let cut = fields
  for (const [name, limit] of Object.entries(truncationLimits)) {
    const value = memberAt(fields, name)
    if (typeof value === 'string') cut = { ...cut, [name]: cutText(value, limit) }
  }
  return cut
}

// Makes an event fit what the logbook accepts: an entry that is too deep or too large would never arrive, however often it is sent.

type FittedFields = EventFields & {
  /** The members that differ from what the tool gave, with their original size as JSON in bytes. */
  readonly recorder_shortened?: Readonly<Record<string, number>>
}

/** Room for the other members of an entry, whose length is limited. */
const spareBytes = 64 * 1024
const maxBytes = maximumEntryBytes - spareBytes
/** The entry itself is the first level. */
const maxLevels = maximumEntryDepth - 1

/**
 * A value that is nested too deeply becomes its JSON text, so nothing of it is lost. If the event is still too large, the largest
 * of the members that no other rule limits becomes a text and is cut to what fits. Any other event stays as it is.
 */
function fitFields(fields: EventFields): FittedFields {
  const shortened: Record<string, number> = {}
  let fitted: EventFields = fields
  const replace = (name: Shortenable, text: string) => {
    shortened[name] ??= sizeOf(fields[name])
    fitted = { ...fitted, [name]: text }
  }
  for (const name of shortenable)
    if (isDeeper(fields[name], maxLevels)) replace(name, toJsonText(fields[name]))
  for (let surplus = sizeOf(fitted) - maxBytes; surplus > 0; surplus = sizeOf(fitted) - maxBytes) {
    const [largest] = [...shortenable].sort((left, right) => sizeOf(fitted[right]) - sizeOf(fitted[left]))
    if (largest === undefined || sizeOf(fitted[largest]) <= spareBytes) break
    const value = fitted[largest]
    const text = typeof value === 'string' ? value : toJsonText(value)
    replace(largest, cutToBytes(text, sizeOf(value) - surplus))
  }
  return Object.keys(shortened).length === 0 ? fields : { ...fitted, recorder_shortened: shortened }
}

type Shortenable = (typeof shortenable)[number]

/** The specification cuts `prompt`, `tool_response` and `response_summary`. Nothing cuts names. */
const shortenable = ['tool_input', 'tool_error', 'stop_reason'] as const

function sizeOf(value: unknown): number {
  return Buffer.byteLength(toJsonText(value ?? null))
}

/** As much of the text as fits into this many bytes of JSON. */
function cutToBytes(text: string, most: number): string {
  let cut = text
  for (let size = sizeOf(cut); size > most; size = sizeOf(cut))
    cut = cutText(cut, Math.floor(cut.length * Math.max(0, most / size) * 0.99))
  return cut
}

/** Walks level by level, so that no depth exhausts the stack. */
function isDeeper(value: unknown, levels: number): boolean {
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true
    level = level.flatMap(container => Object.values(container).filter(isContainer))
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

// Writes a moment as spec 2.10 asks: ISO 8601 with the offset of the machine's clock at that moment.

/** `2026-03-01T14:03:07.512+09:00`. `offsetMinutes` is minutes east of UTC. */
export function formatLocalTime(moment: Date, offsetMinutes = -moment.getTimezoneOffset()): string {
  const local = new Date(moment.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1)
  const sign = offsetMinutes < 0 ? '-' : '+'
  const minutes = Math.abs(offsetMinutes)
  const twoDigits = (value: number) => String(value).padStart(2, '0')
  return `${local}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}
