// Numbers entries without a lock. A number belongs to the process that created its file.
import { join } from 'node:path'
import type { Files } from './files.ts'

/** How many of the newest numbers keep their file. This limits how long a process may sleep between looking and taking. */
const keptMarks = 64
const pruneAbove = 2 * keptMarks
const mostTries = 1000

/** The next number of this spool, from 1. No number is given twice. A gap comes from a hook that died. */
export function takeSequenceNumber(files: Files, folder: string): number {
  const marks = files.list(folder).map(Number).filter(Number.isSafeInteger)
  let next = Math.max(0, ...marks) + 1
  for (let tries = 0; tries < mostTries; tries += 1, next += 1) {
    if (!files.createMark(join(folder, String(next)))) continue
    if (marks.length > pruneAbove) prune(files, folder, marks, next)
    return next
  }
  throw new Error('no sequence number could be taken')
}

function prune(files: Files, folder: string, marks: readonly number[], taken: number): void {
  for (const mark of marks) {
    if (mark > taken - keptMarks) continue
    try {
      files.remove(join(folder, String(mark)))
    } catch {
      // A leftover mark does no harm.
    }
  }
}
