// Provides what a sending needs: this process as owner of the lock, the scan of transcripts, and late completion.
import { realpathSync } from 'node:fs'
import { cutFields } from '../entry/build-entry.ts'
import { readFacts } from '../git/read-facts.ts'
import { readManifest } from '../install/files/changes.ts'
import { findGoneTools } from '../install/inspect/judge-tool.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import { describeSuspects } from '../push/describe-sending.ts'
import { findSuspects, type SuspectEntry } from '../push/find-secrets.ts'
import type { SendingDependencies } from '../push/run-sending.ts'
import { createFindFacts } from '../scan/choose-repositories.ts'
import { scanTranscripts } from '../scan/scan-transcripts.ts'
import type { NumberedEntry } from '../spool/spool.ts'
import { findUnnoted } from '../tools/antigravity/antigravity.ts'
import { findHelpers } from '../tools/claude/claude.ts'
import { createFindMembers } from '../tools/create-find-members.ts'
import type { OpenRepository } from './open-repository.ts'
import type { VerbContext } from './verb.ts'

export function prepareSending(
  context: VerbContext,
  open: OpenRepository,
): Omit<SendingDependencies, 'remainingMs' | 'isPatient'> {
  const { spool, fallbackFolder } = open
  const { processId, host, isAlive, now } = context
  return {
    spool,
    fallbackFolder,
    owner: { processId, host, isAlive, now: () => now().getTime() },
    recorder: {
      version: context.version,
      goneTools: () =>
        findGoneTools(readManifest(spool), open.repository.root, context.home, context.readText),
      now: () => now().getTime(),
    },
    connect: (logbookUrl, token) => createCallLogbook(logbookUrl, token, context.environment),
    scan: isTimeUp => scan(context, open, isTimeUp),
    startCompleting: isTimeUp =>
      createFindMembers({
        transcripts: context.transcripts,
        now: () => now().getTime(),
        isTimeUp,
        cutFields,
      }),
  }
}

/** Prints a warning before entries are sent that seem to hold a secret, and adds them to `found`. */
export function warnOfSecrets({ printError }: VerbContext, found: SuspectEntry[]) {
  return (batch: readonly NumberedEntry[]): void => {
    const suspects = findSuspects(batch)
    const warning = describeSuspects(suspects)
    if (warning !== null) printError(`${warning}\n`)
    found.push(...suspects)
  }
}

async function scan(
  context: VerbContext,
  { repository, spool }: OpenRepository,
  isTimeUp: () => boolean,
): Promise<void> {
  const own = await readFacts(repository, context)
  if (own === null) return
  const { files, transcripts, home, now } = context
  const since = files.modifiedAt(spool.layout.since) ?? now().getTime()
  const findFacts = createFindFacts(repository.commonFolder, { ...context, resolvePath })
  await scanTranscripts(
    {
      spool,
      transcripts,
      now: now().getTime(),
      isTimeUp,
      findFacts: async (note, folder) => (note.places === null ? own : await findFacts(note, folder)),
    },
    notes => [
      ...findUnnoted({ files, transcripts, home, root: repository.root, since, resolvePath }, notes),
      ...findHelpers(files, notes),
    ],
  )
}

function resolvePath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
