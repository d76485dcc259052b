// Replaces what a piece of a stream says about the call, where it must not be shown; the frame around it stays.
import type { RelayedStream } from '../../../upstream/relay-port.ts'
import type { StreamPiece } from '../../../upstream/split-stream.ts'

/** Line ends and brackets between two pieces are shorter. */
const shortestSecret = 8

/** `clean` answers null for a payload that stays as it is; `cleanText` is for pieces without one: a proxy's page, for instance. */
export function cleanPiece(
  piece: StreamPiece,
  { clean, cleanText }: Pick<RelayedStream, 'clean' | 'cleanText'>,
): StreamPiece {
  if (piece.payload === null) {
    if (piece.raw.length < shortestSecret) return piece
    const text = Buffer.from(piece.raw).toString()
    const cleaned = cleanText(text)
    return cleaned === text ? piece : { raw: Buffer.from(cleaned), payload: null }
  }
  const payload = clean(piece.payload)
  if (payload === null) return piece
  const raw = Buffer.from(piece.raw.buffer, piece.raw.byteOffset, piece.raw.byteLength)
  const at = raw.indexOf(piece.payload)
  if (at < 0) return { raw: frameAgain(payload), payload }
  const after = raw.subarray(at + piece.payload.length)
  return { raw: Buffer.concat([raw.subarray(0, at), payload, after]), payload }
}

/** An event whose data came in several lines; spaces behind the colons are part of the payload. */
function frameAgain(payload: Uint8Array): Uint8Array {
  const text = Buffer.from(payload).toString().replaceAll('\n', '\ndata:')
  return Buffer.from(`data:${text}\r\n\r\n`)
}
