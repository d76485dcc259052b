// The recorder's own log: what went wrong in a hook, which may neither print nor fail.
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const largestBytes = 256 * 1024

/** Never throws. Holds no text of any entry. */
export function appendLog(path: string, now: Date, message: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    rotate(path)
    appendFileSync(path, `${now.toISOString()} ${message.replace(/\s+/g, ' ')}\n`)
  } catch {
    // There is no other place to say it.
  }
}

function rotate(path: string): void {
  try {
    if (statSync(path).size > largestBytes) renameSync(path, `${path}.old`)
  } catch {
    // There is no log yet.
  }
}
