// Writes the output of several processes to one stream, line by line, so that no line has another in its middle.

/** Resolves when the bytes are written, or when that has failed. */
export type WriteBytes = (bytes: Uint8Array) => Promise<unknown>

/** The longest part of a line that is kept back for its end. */
const longestPart = 1024 * 1024
const newline = 10

/**
 * Resolves at the end of `output`. Nothing is read before the last piece is written: a process whose reader is slow then keeps or drops its
 * lines itself, as it does without a parent.
 */
export async function relayLines(output: AsyncIterable<Uint8Array>, write: WriteBytes): Promise<void> {
  let part = new Uint8Array()
  for await (const bytes of output) {
    const end = bytes.lastIndexOf(newline) + 1
    if (end > 0) {
      await write(part.byteLength === 0 ? bytes.subarray(0, end) : join(part, bytes.subarray(0, end)))
      part = bytes.slice(end)
    } else part = join(part, bytes)
    if (part.byteLength > longestPart) {
      await write(join(part, new Uint8Array([newline])))
      part = new Uint8Array()
    }
  }
  if (part.byteLength > 0) await write(join(part, new Uint8Array([newline])))
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.byteLength + second.byteLength)
  joined.set(first)
  joined.set(second, first.byteLength)
  return joined
}
