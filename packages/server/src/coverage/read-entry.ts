// Takes from a stored entry what the join reads. Anybody may have written it, so nothing in it is certain.
import type { EntryFacts } from './session-log.ts'

/** As the store gives it. */
export type StoredEntry = {
  readonly seq: number
  readonly tsMicros: number
  readonly receivedMicros: number
  /** JSON. */
  readonly body: string
  readonly tokenId: string | null
  readonly clientAddress: string | null
}

/** Texts within an object that a tool gave back, such as `stdout` and `llmContent`. */
const mostTexts = 16

export function readEntry(entry: StoredEntry): EntryFacts {
  const members = parseObject(entry.body)
  const { recorder, tool, session_id: sessionId, prompt } = members
  const mark = isObject(recorder) && typeof recorder.id === 'string' ? recorder.id : null
  return {
    at: entry.tsMicros / 1000,
    receivedAt: entry.receivedMicros / 1000,
    sender: mark ?? entry.tokenId ?? '',
    address: entry.clientAddress,
    tool: textOrNull(tool),
    sessionId: textOrNull(sessionId),
    prompt: textOrNull(prompt),
    results: [...listTexts(members.tool_response), ...listTexts(members.tool_error)],
    answer: textOrNull(members.response_summary),
  }
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
    return JSON.parse(text)
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
