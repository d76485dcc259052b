// Replaces what a piece of a stream says about the call, where it must not be shown; the frame around it stays.
import type { StreamPiece } from './split-stream.ts'

const shortestRemark = 16

/** `clean` answers null for a payload that stays as it is. */
export function cleanPiece(
  piece: StreamPiece,
  clean: (payload: Uint8Array) => Uint8Array | null,
): StreamPiece {
  // What is no JSON is shown as it came, but for what must not be shown. A bracket or a comma between pieces is too short for any of it.
  if (piece.payload === null) {
    const raw = piece.raw.length < shortestRemark ? null : clean(piece.raw)
    return raw === null ? piece : { raw, payload: null }
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
