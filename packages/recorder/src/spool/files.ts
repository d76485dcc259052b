// The few disk steps that the spool is built from. A crash can come before or after each of them.
import {
  chmodSync,
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** Prompts and answers are private on a shared machine, so everything created here is only for the owner. */
const folderMode = 0o700
const fileMode = 0o600
const ownerOnly = 0o700

/** An unflushed file survives a crash of the process, but not always a power cut. */
export type Flush = 'flushed' | 'unflushed'

export type Files = {
  /** Creates the folder and its parents, only for the owner. No error if it exists. */
  readonly makeFolder: (path: string) => void
  /** Creates a file that must not exist yet, only for the owner. When this returns, its bytes are on disk unless it is unflushed. */
  readonly writeNew: (path: string, data: string | Uint8Array, flush?: Flush) => void
  /** Whether anybody but the owner has access; null when there is no such file. Always false on Windows. */
  readonly isOpenToOthers: (path: string) => boolean | null
  /** Makes the folder and everything in it private, as far as the disk knows owners. Never throws. */
  readonly closeToOthers: (folder: string) => void
  /** Creates an empty file; false if it already exists. */
  readonly createMark: (path: string) => boolean
  /** Moves a file and replaces whatever is at `to`. */
  readonly rename: (from: string, to: string) => void
  /** No error when there is none. */
  readonly remove: (path: string) => void
  /** The names in a folder, sorted; an empty list when there is no folder. */
  readonly list: (path: string) => string[]
  /** null when there is none. */
  readonly read: (path: string) => Uint8Array | null
  /** Unix ms; null when there is none. */
  readonly modifiedAt: (path: string) => number | null
  /** Sets the time of the last change, in Unix ms. */
  readonly touch: (path: string, at: number) => void
}

export function createFiles(): Files {
  return {
    makeFolder: path => void mkdirSync(path, { recursive: true, mode: folderMode }),
    writeNew,
    isOpenToOthers,
    closeToOthers: folder => {
      // A disk without owners always shows every file as open, so it is not searched at every event.
      if (closeOne(folder) && isOpenToOthers(folder) === false) closeContents(folder)
    },
    createMark: path => {
      try {
        closeSync(openSync(path, 'wx', fileMode))
        return true
      } catch (thrown) {
        if (hasCode(thrown, 'EEXIST')) return false
        throw thrown
      }
    },
    rename: (from, to) => retryWhileBusy(() => renameSync(from, to)),
    remove: path => orWhenAbsent(() => retryWhileBusy(() => unlinkSync(path)), undefined),
    // Node sorts the names, Bun leaves them in the order of the disk.
    list: path => orWhenAbsent(() => readdirSync(path).sort(), []),
    read: path => orWhenAbsent(() => readFileSync(path), null),
    modifiedAt: path => orWhenAbsent(() => statSync(path).mtimeMs, null),
    touch: (path, at) => orWhenAbsent(() => utimesSync(path, at / 1000, at / 1000), undefined),
  }
}

export function hasCode(thrown: unknown, ...codes: string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code))
}

function writeNew(path: string, data: string | Uint8Array, flush: Flush = 'flushed'): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  const file = openSync(path, 'wx', fileMode)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    if (flush === 'flushed') fdatasyncSync(file)
  } finally {
    closeSync(file)
  }
}

function isOpenToOthers(path: string): boolean | null {
  return orWhenAbsent(() => {
    const { mode } = statSync(path)
    return process.platform !== 'win32' && (mode & 0o077) !== 0
  }, null)
}

function closeContents(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && closeOne(path)) closeContents(path)
    else if (entry.isFile()) closeOne(path)
  }
}

/** False when the file belongs to another user or has just been moved. */
function closeOne(path: string): boolean {
  try {
    chmodSync(path, statSync(path).mode & ownerOnly)
    return true
  } catch {
    return false
  }
}

function orWhenAbsent<Value>(step: () => Value, absent: Value): Value {
  try {
    return step()
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return absent
    throw thrown
  }
}

const longestBusyMs = 50

/** On Windows a virus scanner may lock a new file for a moment. */
function retryWhileBusy(step: () => void): void {
  for (let waited = 0; ; waited += 10) {
    try {
      step()
      return
    } catch (thrown) {
      const isBusy = process.platform === 'win32' && hasCode(thrown, 'EPERM', 'EBUSY', 'EACCES')
      if (!isBusy || waited >= longestBusyMs) throw thrown
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}
