// Reads what the tool sends, for a second at most: a tool that never closes the pipe must not keep the hook.
import { read } from 'node:fs'

const chunkBytes = 64 * 1024
const retryMs = 5

/** Everything up to the end of standard input, or null when it does not come in time. */
export function readStandardInput(longestMs: number): Promise<string | null> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    const limit = setTimeout(() => resolve(null), longestMs)
    const finish = () => {
      clearTimeout(limit)
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    const readNext = () => {
      const chunk = Buffer.allocUnsafe(chunkBytes)
      read(0, chunk, 0, chunkBytes, null, (error, length) => {
        if (error?.code === 'EAGAIN') setTimeout(readNext, retryMs)
        // Windows reports the end of a pipe as an error.
        else if (error !== null || length === 0) finish()
        else {
          chunks.push(chunk.subarray(0, length))
          readNext()
        }
      })
    }
    readNext()
  })
}
