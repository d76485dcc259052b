// Entries that the logbook does not accept stay here with the reason. They never delay others and are never thrown away.
import { join } from 'node:path'
import type { JsonObject } from '../json/members.ts'
import { hasCode } from './files.ts'
import { readObject, type Spool } from './spool.ts'

export type RejectionReason = {
  /** The logbook's code, or one of our own: `torn` or `refused`. */
  readonly code: string
  readonly message: string
}

export type RejectedEntry = RejectionReason & {
  readonly name: string
  readonly entry: JsonObject
}

const reasonEnding = '.reason'

/** Moves the file at `path` aside. The reason is written first, so no file is ever without one. */
export function isolateEntry(spool: Spool, path: string, name: string, reason: RejectionReason): void {
  const { files, layout } = spool
  files.makeFolder(layout.rejected)
  spool.writeAtomically(join(layout.rejected, `${name}${reasonEnding}`), JSON.stringify(reason))
  try {
    files.rename(path, join(layout.rejected, name))
  } catch (thrown) {
    // Another sender was faster.
    if (!hasCode(thrown, 'ENOENT')) throw thrown
  }
}

export function listRejected({ files, layout }: Spool): RejectedEntry[] {
  const names = files.list(layout.rejected).filter(name => name.endsWith('.json'))
  return names.sort().map(name => {
    const path = join(layout.rejected, name)
    const { code = 'unknown', message = '' } = readObject(files, `${path}${reasonEnding}`) ?? {}
    return { name, code: String(code), message: String(message), entry: readObject(files, path) ?? {} }
  })
}

/** Puts all of them back among the waiting entries. */
export function retryRejected(spool: Spool): number {
  const { files, layout } = spool
  const rejected = listRejected(spool).filter(({ code }) => code !== 'torn')
  for (const { name } of rejected) {
    files.rename(join(layout.rejected, name), join(layout.pending, name))
    files.remove(join(layout.rejected, `${name}${reasonEnding}`))
  }
  return rejected.length
}
