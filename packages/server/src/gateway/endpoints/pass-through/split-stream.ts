// Cuts the bytes of a stream where an event or an element of the array ends, without changing one of them.

export type StreamPiece = {
  /** As it came, separators included. */
  readonly raw: Uint8Array
  /** The JSON inside; null for what holds none. */
  readonly payload: Uint8Array | null
}

export type StreamSplitter = {
  /** The pieces that these bytes complete. Throws Error when one is too large to be held. */
  readonly push: (bytes: Uint8Array) => readonly StreamPiece[]
  /** What is left without an end of its own. */
  readonly end: () => readonly StreamPiece[]
}

const largestPiece = 64 * 1024 * 1024

export type Cut = (at: number) => void
/** Reads on; calls `cut` with the index after the last byte of each piece. */
export type Scan = (bytes: Uint8Array, cut: Cut) => void

/** `read`: the JSON inside a whole piece. */
export function createSplitter(scan: Scan, read: (raw: Uint8Array) => Uint8Array | null): StreamSplitter {
  let pending: Uint8Array[] = []
  let size = 0
  const take = (last: Uint8Array): StreamPiece => {
    const raw = pending.length === 0 ? last : Buffer.concat([...pending, last])
    pending = []
    size = 0
    return { raw, payload: read(raw) }
  }
  return {
    push: bytes => {
      const pieces: StreamPiece[] = []
      let from = 0
      scan(bytes, at => {
        pieces.push(take(bytes.subarray(from, at)))
        from = at
      })
      if (from < bytes.length) {
        pending.push(bytes.subarray(from))
        size += bytes.length - from
        if (size > largestPiece) throw new Error('A piece of the stream is too large.')
      }
      return pieces
    },
    end: () => (size === 0 ? [] : [take(new Uint8Array())]),
  }
}

/** Where the byte stands next; the length where it stands no more. */
export function indexOrEnd(bytes: Uint8Array, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from)
  return found < 0 ? bytes.length : found
}
