// Opens the repository that a verb was called in, and its spool. Every verb but `hook` begins with this.
import { readSettings } from '../config/settings.ts'
import { findRepository, type Repository } from '../git/find-repository.ts'
import type { JsonObject } from '../json/members.ts'
import { type CallLogbook, createCallLogbook } from '../logbook/call-logbook.ts'
import { type ArchivedEntry, readArchive } from '../spool/archive.ts'
import { hasCode } from '../spool/files.ts'
import { fallbackFolder, layOut, recorderFolder } from '../spool/layout.ts'
import { listPending, readPending } from '../spool/pending.ts'
import { listRejected, type RejectedEntry } from '../spool/rejected.ts'
import { openSpool, parseEntryText, type Spool } from '../spool/spool.ts'
import { UserFailure } from '../terminal/user-failure.ts'
import type { VerbContext } from './verb.ts'

export type OpenRepository = {
  readonly repository: Repository
  readonly spool: Spool
  readonly fallbackFolder: string
}

export function openRepository(context: VerbContext): OpenRepository {
  const repository = findRepository(context.workingFolder, context.readText)
  if (repository === null) throw new UserFailure('This is not a git work tree. Go to your repository first.')
  return {
    repository,
    spool: openOwnSpool(recorderFolder(repository.commonFolder), context),
    fallbackFolder: fallbackFolder(context.home, repository.commonFolder),
  }
}

/** Only the owner can read what is recorded, so only one user of the machine can use a clone. */
function openOwnSpool(folder: string, context: VerbContext): Spool {
  try {
    return openSpool(folder, context)
  } catch (thrown) {
    if (!hasCode(thrown, 'EACCES', 'EPERM')) throw thrown
    throw new UserFailure(
      `${folder} cannot be used: it is read-only, or another user's. Each user of this machine needs their own clone.`,
    )
  }
}

export async function connectLogbook(
  spool: Spool,
  { environment }: Pick<VerbContext, 'environment'>,
): Promise<CallLogbook> {
  const { logbookUrl, token } = readSettings(spool)
  if (logbookUrl === null)
    throw new UserFailure(
      'The address of the logbook is not set in this repository. Run "fairgate-recorder init --url <logbook>".',
    )
  if (token === null)
    throw new UserFailure(
      'There is no log token in this repository. Run "fairgate-recorder init", which asks for it.',
    )
  return await createCallLogbook(logbookUrl, token, environment)
}

export type WaitingEntry = {
  readonly name: string
  readonly text: string
  readonly entry: JsonObject
}

export type Records = {
  readonly pending: readonly WaitingEntry[]
  readonly archived: readonly ArchivedEntry[]
  readonly rejected: readonly RejectedEntry[]
  /** All of them. */
  readonly entries: readonly JsonObject[]
}

/** Reads everything that was recorded here and is still on this machine: waiting, acknowledged, refused. */
export function readRecords({ spool, fallbackFolder }: OpenRepository): Records {
  const pending = [...readWaiting(spool), ...readWaiting({ ...spool, layout: layOut(fallbackFolder) })]
  const archived = readArchive(spool)
  const rejected = listRejected(spool)
  return {
    pending,
    archived,
    rejected,
    entries: [...pending, ...archived, ...rejected].map(({ entry }) => entry),
  }
}

function readWaiting(spool: Pick<Spool, 'files' | 'layout'>): WaitingEntry[] {
  return listPending(spool).flatMap(name => {
    const bytes = readPending(spool, name)
    const parsed = bytes === null ? null : parseEntryText(bytes)
    return parsed === null ? [] : [{ name, ...parsed }]
  })
}
