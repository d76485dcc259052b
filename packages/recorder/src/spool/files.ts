// The few steps on the disk from which the spool is built; each is one that a crash can come before or after.
import {
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

export type Files = {
  /** With its parents; no error when it is there. */
  readonly makeFolder: (path: string) => void
  /** Creates a file that must not exist yet; its bytes are on the disk when this returns. */
  readonly writeNew: (path: string, data: string | Uint8Array, mode?: number) => void
  /** Creates an empty file; false when there is one already. */
  readonly createMark: (path: string) => boolean
  /** Replaces what is at `to`. */
  readonly rename: (from: string, to: string) => void
  /** No error when there is none. */
  readonly remove: (path: string) => void
  /** Names in a folder; none when there is no folder. */
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
    makeFolder: path => void mkdirSync(path, { recursive: true }),
    writeNew,
    createMark: path => {
      try {
        closeSync(openSync(path, 'wx'))
        return true
      } catch (thrown) {
        if (hasCode(thrown, 'EEXIST')) return false
        throw thrown
      }
    },
    rename: (from, to) => retryWhileBusy(() => renameSync(from, to)),
    remove: path => orWhenAbsent(() => retryWhileBusy(() => unlinkSync(path)), undefined),
    list: path => orWhenAbsent(() => readdirSync(path), []),
    read: path => orWhenAbsent(() => readFileSync(path), null),
    modifiedAt: path => orWhenAbsent(() => statSync(path).mtimeMs, null),
    touch: (path, at) => orWhenAbsent(() => utimesSync(path, at / 1000, at / 1000), undefined),
  }
}

export function hasCode(thrown: unknown, ...codes: string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code))
}

function writeNew(path: string, data: string | Uint8Array, mode = 0o666): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data
  const file = openSync(path, 'wx', mode)
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fdatasyncSync(file)
  } finally {
    closeSync(file)
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

/** On Windows a virus scanner holds a new file for a moment. */
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
