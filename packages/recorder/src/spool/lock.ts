// Keeps two senders from doing the same work. It only saves work: two senders do no harm, because the logbook drops the second copy.
import { hasCode } from './files.ts'
import { readObject, type Spool } from './spool.ts'

export type Lock = {
  /** Shows that the holder is alive. Call it more often than every two minutes. */
  readonly renew: () => void
  readonly release: () => void
}

export type LockOwner = {
  readonly processId: number
  readonly host: string
  readonly now: () => number
  readonly isAlive: (processId: number) => boolean
}

/** A holder that has not renewed for this long (ms) is asleep or dead. */
const staleAfter = 120_000

/** null when another sender holds the lock. */
export function takeLock(spool: Spool, owner: LockOwner): Lock | null {
  const { files, layout } = spool
  const content = JSON.stringify({ pid: owner.processId, host: owner.host, startedAt: owner.now() })
  for (const isSecondTry of [false, true]) {
    try {
      files.writeNew(layout.lock, content)
      return {
        renew: () => files.touch(layout.lock, owner.now()),
        release: () => {
          if (Buffer.from(files.read(layout.lock) ?? []).toString() === content) files.remove(layout.lock)
        },
      }
    } catch (thrown) {
      if (!hasCode(thrown, 'EEXIST')) throw thrown
      if (isSecondTry || !isStale(spool, owner)) return null
      files.remove(layout.lock)
    }
  }
  return null
}

function isStale({ files, layout }: Spool, owner: LockOwner): boolean {
  const renewedAt = files.modifiedAt(layout.lock)
  if (renewedAt === null) return true
  // A lock must not last for ever because the clock was set back.
  if (Math.abs(owner.now() - renewedAt) > staleAfter) return true
  const content = readObject(files, layout.lock)
  // Its process was killed while writing it. If it is still writing, two senders send the same entries, which is harmless.
  if (content === null) return true
  const { pid, host } = content
  return typeof pid === 'number' && host === owner.host && !owner.isAlive(pid)
}
