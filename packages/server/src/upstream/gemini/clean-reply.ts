// Removes what is ours alone from the vendor's remarks inside a reply. Every other byte stays as it was sent.
import { redact } from '../redact.ts'
import { type JsonPath, walkJson } from '../walk-json.ts'

/** Each member that is cleaned has one of these in its name, or is beside a member that has. */
const marks = ['essage', 'iltered', 'rror'].map(text => Buffer.from(text))

/** Null when nothing changes. Replies without such a member are not walked. */
export function cleanReply(reply: Uint8Array, clean: (text: string) => string): Uint8Array | null {
  const bytes = Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength)
  if (!marks.some(mark => bytes.includes(mark))) return null
  const pieces: Uint8Array[] = []
  let from = 0
  const visit = (path: JsonPath, start: number, end: number): void => {
    // The walk visits inner members first. What lies inside a replaced member is done already.
    if (start < from || !isRemark(path)) return
    const value: unknown = JSON.parse(bytes.toString('utf8', start, end))
    const cleaned = cleanValue(value, clean)
    if (cleaned === null) return
    pieces.push(bytes.subarray(from, start), Buffer.from(JSON.stringify(cleaned)))
    from = end
  }
  try {
    walkJson(bytes, { member: visit, skipsDeep: true })
  } catch {
    return null
  }
  return from === 0 ? null : Buffer.concat([...pieces, bytes.subarray(from)])
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

/** The vendor's text about the answer, or anything in an error, also in a list; never what the model wrote. */
function isRemark(path: JsonPath): boolean {
  if (path[typeof path[0] === 'number' ? 1 : 0] === 'error') return true
  return !path.includes('parts') && remarks.includes(path.at(-1))
}

/** A text, or a list of texts; null when nothing changes. */
function cleanValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') {
    const cleaned = clean(value)
    return cleaned === value ? null : cleaned
  }
  if (!Array.isArray(value)) return null
  const cleaned = value.map((item: unknown) => (typeof item === 'string' ? clean(item) : item))
  return cleaned.every((item, index) => item === value[index]) ? null : cleaned
}
