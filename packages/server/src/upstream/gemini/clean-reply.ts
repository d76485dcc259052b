// Removes information that is ours alone from the vendor's remarks inside a reply. Every other byte stays as it was sent.
import { redact } from '../redact.ts'
import { type JsonPath, rewriteJson } from '../walk-json.ts'

/** Each member that is cleaned has one of these in its name, or is next to a member that has. */
const marks = ['essage', 'iltered', 'rror'].map(text => Buffer.from(text))

/** Null if nothing changes. Replies without such a member are not walked. */
export function cleanReply(reply: Uint8Array, clean: (text: string) => string): Uint8Array | null {
  const bytes = Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength)
  if (!marks.some(mark => bytes.includes(mark))) return null
  try {
    return rewriteJson(bytes, (path, value) =>
      isRemark(path) ? cleanValue(JSON.parse(value.toString()), clean) : null,
    )
  } catch {
    return null
  }
}

/** A whole reply of status 200 as its client may see it. `secret`: the key in use. */
export function showReply(reply: string, secret: string): string {
  const cleaned = cleanReply(Buffer.from(reply), said => redact(said, secret))
  return cleaned === null ? reply : Buffer.from(cleaned).toString()
}

const remarks: readonly (string | number | undefined)[] = [
  'finishMessage',
  'finish_message',
  'blockReasonMessage',
  'block_reason_message',
  'raiMediaFilteredReasons',
  'raiFilteredReason',
]

/** The vendor's text about the answer, or anything in an error, also in a list; never the model's own text. */
function isRemark(path: JsonPath): boolean {
  if (path[typeof path[0] === 'number' ? 1 : 0] === 'error') return true
  return !path.includes('parts') && remarks.includes(path.at(-1))
}

/** A text, or a list of texts; null if nothing changes. */
function cleanValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') {
    const cleaned = clean(value)
    return cleaned === value ? null : cleaned
  }
  if (!Array.isArray(value)) return null
  const cleaned = value.map((item: unknown) => (typeof item === 'string' ? clean(item) : item))
  return cleaned.every((item, index) => item === value[index]) ? null : cleaned
}
