// The recorder's own log of what went wrong in hooks, which must neither print nor fail.
import { appendFileSync, chmodSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const largestBytes = 256 * 1024
/** Readable only by the owner. */
const fileMode = 0o600

/** Never throws. The log contains no text of any entry. */
export function appendLog(path: string, now: Date, message: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rotate(path)
    appendFileSync(path, `${now.toISOString()} ${message.replace(/\s+/g, ' ')}\n`, { mode: fileMode })
  } catch {
    // There is no other place to report it.
  }
}

function rotate(path: string): void {
  try {
    const { size, mode } = statSync(path)
    if ((mode & 0o077) !== 0) chmodSync(path, fileMode)
    if (size > largestBytes) renameSync(path, `${path}.old`)
  } catch {
    // The log does not exist yet.
  }
}
