// Writes to a stream of the process only as fast as its reader takes, and notices when the reader has gone.
import type { Writable } from 'node:stream'

/** The returned function resolves with false when nobody reads any more. */
export function createPipe(stream: Writable): (bytes: Uint8Array) => Promise<boolean> {
  let isGone = false
  stream.on('error', () => {
    isGone = true
  })
  return bytes =>
    new Promise(resolve => {
      if (isGone) {
        resolve(false)
        return
      }
      stream.write(bytes, error => resolve(!isGone && (error === null || error === undefined)))
    })
}
