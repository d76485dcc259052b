// Gives each entry of a clone a number of its own. A missing number shows later that an entry was lost, a doubled one that a folder was copied.
import { join } from 'node:path'
import { type Files, hasCode } from './files.ts'
import type { Layout } from './layout.ts'

/** The recorder's mark on an entry, which the logbook keeps. */
export type RecorderMark = {
  /** Of the recorder's folder in this clone: 8 hex digits. */
  readonly id: string
  /** 1, 2, 3, … in this clone, in all its work trees. A hook that dies after it took its number leaves a gap. */
  readonly n: number
}

export type NumberingDependencies = {
  readonly files: Files
  readonly layout: Layout
  /** From 0 to below 1. */
  readonly random: () => number
  readonly writeAtomically: (path: string, data: string) => void
}

/** The mark of the next entry. It is never given again, whatever crashes. */
export function takeMark(dependencies: NumberingDependencies): RecorderMark {
  const id = takeCloneId(dependencies)
  return { id, n: takeNumber(dependencies.files, dependencies.layout.sequence) }
}

const maxReads = 20
const pauseMs = 2

/** Made once for each recorder's folder, and then always the same. */
export function takeCloneId({ files, layout, random, writeAtomically }: NumberingDependencies): string {
  const path = layout.cloneId
  const made = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
  for (let reads = 0; reads < maxReads; reads += 1) {
    const bytes = files.read(path)
    const found = bytes === null ? '' : Buffer.from(bytes).toString()
    if (/^[0-9a-f]{8}$/.test(found)) return found
    try {
      if (bytes === null) {
        files.writeNew(path, made)
        return made
      }
    } catch (thrown) {
      if (!hasCode(thrown, 'EEXIST')) throw thrown
    }
    // Another process is writing it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs)
  }
  // That process was killed while writing.
  writeAtomically(path, made)
  return made
}

/** How many of the newest numbers keep their file. */
const keptFiles = 64
const pruneAbove = 2 * keptFiles
const maxTries = 1000

/** Each number is a file that only one process can create. */
function takeNumber(files: Files, folder: string): number {
  const list = () => files.list(folder).map(Number).filter(Number.isSafeInteger)
  let taken = list()
  let next = Math.max(0, ...taken) + 1
  for (let tries = 0; tries < maxTries; tries += 1, next += 1) {
    if (!files.createMark(join(folder, String(next)))) continue
    const now = list()
    const newest = Math.max(...now)
    // This process slept so long that the number may have been taken before, and its file removed.
    if (newest >= next + keptFiles) {
      files.remove(join(folder, String(next)))
      taken = now
      next = newest
      continue
    }
    if (taken.length > pruneAbove) prune(files, folder, taken, next)
    return next
  }
  throw new Error('no number could be taken')
}

function prune(files: Files, folder: string, numbers: readonly number[], taken: number): void {
  for (const number of numbers) {
    if (number > taken - keptFiles) continue
    try {
      files.remove(join(folder, String(number)))
    } catch {
      // A leftover file does no harm.
    }
  }
}
