// Reads the fields of a stored entry that the join needs. Anyone may have written the entry, so nothing in it is certain.
import { maxJsonDepth, parseJsonWithin } from '@fairgate/contracts/text/nested-json.ts'
import type { LabelledEntry } from './session-book.ts'

/** As the store returns it. */
export type StoredEntry = {
  readonly seq: number
  readonly tsMicros: number
  readonly receivedMicros: number
  /** JSON. */
  readonly body: string
  readonly tokenId: string
  readonly clientAddress: string | null
}

/** Max texts within an object that a tool returned, such as `stdout` and `llmContent`. */
const maxTexts = 16

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
    commit: textOrNull(members.commit),
    ...readToolCall(members),
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

/** Tools report a failure as an event of its own, or with a text about it. */
function readToolCall({ tool_name: name, tool_error: error, event }: Readonly<Record<string, unknown>>) {
  const isToolCall = textOrNull(name) !== null
  const hasError = error !== undefined && error !== null && error !== ''
  return { isToolCall, isFailure: isToolCall && (hasError || /failure$/i.test(textOrNull(event) ?? '')) }
}

/** As recorders write it; anything else is not a recorder number. */
function readMark(value: unknown): LabelledEntry['recorder'] {
  if (!isObject(value)) return null
  const { id, n } = value
  if (typeof id !== 'string' || !/^[0-9a-f]{8}$/.test(id)) return null
  return typeof n === 'number' && Number.isSafeInteger(n) && n > 0 ? { id, n } : null
}

/** The value itself if it is a text, or the texts within it if it is an object or the JSON text of one. */
function listTexts(value: unknown): string[] {
  const own = typeof value === 'string' ? [value] : []
  const isJson = typeof value === 'string' && /^\s*[[{]/.test(value)
  const texts = [...own, ...findTexts(isJson ? parseJson(value) : value)]
  return [...new Set(texts)].slice(0, maxTexts)
}

function findTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value)
    .slice(0, maxTexts)
    .flatMap((member: unknown) => (typeof member === 'string' ? [member] : findTexts(member)))
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  return isObject(value) ? value : {}
}

function parseJson(text: string): unknown {
  try {
    // Nested deeper than any tool nests its input, it has no texts for us: the search is recursive.
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
