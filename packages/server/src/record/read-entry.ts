// Takes from a stored entry what the join reads. Anybody may have written it, so nothing in it is certain.
import { maxJsonDepth, parseJsonWithin } from '@fairgate/contracts/text/nested-json.ts'
import type { LabelledEntry } from './session-book.ts'

/** As the store gives it. */
export type StoredEntry = {
  readonly seq: number
  readonly tsMicros: number
  readonly receivedMicros: number
  /** JSON. */
  readonly body: string
  readonly tokenId: string
  readonly clientAddress: string | null
}

/** Texts within an object that a tool gave back, such as `stdout` and `llmContent`. */
const mostTexts = 16

export function readEntry(entry: StoredEntry): LabelledEntry {
  const members = parseObject(entry.body)
  const { recorder, tool, session_id: sessionId, prompt } = members
  const mark = isObject(recorder) && typeof recorder.id === 'string' ? recorder.id : null
  return {
    seq: entry.seq,
    event: textOrNull(members.event),
    student: textOrNull(members.student),
    repo: textOrNull(members.repo),
    branch: textOrNull(members.branch),
    tokenId: entry.tokenId,
    recorder: readMark(recorder),
    at: Math.min(entry.tsMicros, entry.receivedMicros) / 1000,
    claimedAt: entry.tsMicros / 1000,
    receivedAt: entry.receivedMicros / 1000,
    sender: mark ?? entry.tokenId,
    address: entry.clientAddress,
    tool: textOrNull(tool),
    sessionId: textOrNull(sessionId),
    prompt: textOrNull(prompt),
    results: [...listTexts(members.tool_response), ...listTexts(members.tool_error)],
    answer: textOrNull(members.response_summary),
  }
}

/** As recorders write it; anything else is no number of theirs. */
function readMark(value: unknown): LabelledEntry['recorder'] {
  if (!isObject(value)) return null
  const { id, n } = value
  if (typeof id !== 'string' || !/^[0-9a-f]{8}$/.test(id)) return null
  return typeof n === 'number' && Number.isSafeInteger(n) && n > 0 ? { id, n } : null
}

/** The value itself where it is a text, and the texts within it where it is an object or the JSON text of one. */
function listTexts(value: unknown): string[] {
  const own = typeof value === 'string' ? [value] : []
  const isJson = typeof value === 'string' && /^\s*[[{]/.test(value)
  const texts = [...own, ...findTexts(isJson ? parseJson(value) : value)]
  return [...new Set(texts)].slice(0, mostTexts)
}

function findTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value)
    .slice(0, mostTexts)
    .flatMap((member: unknown) => (typeof member === 'string' ? [member] : findTexts(member)))
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  return isObject(value) ? value : {}
}

function parseJson(text: string): unknown {
  try {
    // What is nested deeper than any tool nests its input has no texts for us: they are looked for by recursion.
    return parseJsonWithin(text, maxJsonDepth)
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
