// Reads small files whose absence is an answer, not an error.
import { readFileSync } from 'node:fs'

/** The text of a file; null when there is none or it cannot be read. */
export type ReadText = (path: string) => string | null

export const readText: ReadText = path => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
