// Detects when other programs delete, replace, truncate or write the database's files, which SQLite itself does not notice.
import { existsSync, type Stats, statSync } from 'node:fs'
import { ownCodes, StoreError } from '../store-error.ts'

export type FilesWatch = {
  /** Runs before a transaction and at checks. Throws StoreError: otherwise the write would be lost, or be on damaged pages. */
  readonly check: () => void
  /** Runs after a commit, before it is acknowledged: throws StoreError if it went to a file that no longer exists. */
  readonly confirm: () => void
}

/** The change to the files: one is shorter, was written by another program, or was perhaps only written by a commit of ours. */
export type FileChange = 'cut' | 'written' | 'folded'

type Seen = { readonly dev: number; readonly ino: number; readonly size: number; readonly mtimeMs: number }

/**
 * An unlinked file accepts commits silently until the process ends. The four looks per commit take about 4 µs of this thread (1 µs each,
 * measured in a loop; reading the link in /proc/self/fd takes 1.4). `probe` reads the database from the disk (the writing connection has
 * much of it in memory) and throws if it is damaged. It runs if the files changed in a way that this process did not cause, or may not have
 * caused.
 */
export function watchFiles(path: string, probe: (change: FileChange) => void): FilesWatch {
  const log = `${path}-wal`
  let database = look(path)
  // Without shared memory (on some network disks), SQLite uses no log.
  const hasLog = existsSync(log)
  let wal = look(hasLog ? log : path)

  const requireSame = (file: string, known: Seen): Seen => {
    const now = look(file)
    if (now.dev === known.dev && now.ino === known.ino) return now
    throw gone(`Another file is in the place of ${file}. Stop Fairgate and put the right one back.`)
  }
  const remember = (nextDatabase: Seen, nextWal: Seen) => {
    database = nextDatabase
    wal = nextWal
  }
  return {
    check: () => {
      const nextDatabase = requireSame(path, database)
      const nextWal = hasLog ? requireSame(log, wal) : nextDatabase
      // Only this process writes, and there are no writes between its commits.
      const isCut = nextDatabase.size < database.size
      const isWritten = nextDatabase.mtimeMs !== database.mtimeMs || nextWal.mtimeMs !== wal.mtimeMs
      if (isCut || nextWal.size < wal.size || isWritten) probe(isCut ? 'cut' : 'written')
      remember(nextDatabase, nextWal)
    },
    confirm: () => {
      const nextDatabase = requireSame(path, database)
      const nextWal = hasLog ? requireSame(log, wal) : nextDatabase
      // A commit writes the log, and the file only when it checkpoints one into the other: a concurrent write by another program looks the same.
      if (hasLog && nextDatabase.mtimeMs !== database.mtimeMs) probe('folded')
      remember(nextDatabase, nextWal)
    },
  }
}

function look(file: string): Seen {
  let stats: Stats | undefined
  try {
    stats = statSync(file, { throwIfNoEntry: false })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null
    throw new StoreError(`The database file ${file} cannot be checked.`, code, { cause })
  }
  if (stats === undefined)
    throw gone(
      `The database file ${file} was deleted or moved. Put it back if you can, or stop Fairgate and restore a backup.`,
    )
  return stats
}

function gone(message: string): StoreError {
  return new StoreError(message, ownCodes.fileGone)
}
