// `status`: proof that recording works, tool by tool, and where the entries are.
import { readSettings } from '../config/settings.ts'
import { readFacts } from '../git/read-facts.ts'
import { findSecrets } from '../push/find-secrets.ts'
import { type LastSend, readLastSend } from '../push/last-send.ts'
import { readArchive } from '../spool/archive.ts'
import { parseEntryText } from '../spool/entry-text.ts'
import { layOut } from '../spool/layout.ts'
import { listPending, readPending } from '../spool/pending.ts'
import { listRejected, type RejectedEntry } from '../spool/rejected.ts'
import { readSkips, type SkipSummary } from '../spool/skips.ts'
import type { Spool } from '../spool/spool.ts'
import { findMissedSessions, type MissedSessions } from '../tools/find-missed-sessions.ts'
import { describeStatus } from './describe-status.ts'
import { openRepository } from './open-repository.ts'
import { summarizeTools, type ToolSummary } from './summarize-tools.ts'
import type { RunVerb } from './verb.ts'

export type Status = {
  readonly repo: string | null
  readonly logbookUrl: string | null
  readonly hasToken: boolean
  readonly tools: readonly ToolSummary[]
  readonly pending: number
  readonly sent: number
  readonly rejected: readonly Omit<RejectedEntry, 'entry'>[]
  readonly lastSend: LastSend | null
  /** Events that tools told of and that were not recorded. */
  readonly skipped: readonly SkipSummary[]
  /** Sessions that were started in a subfolder and ran no hook of this repository. */
  readonly missed: readonly MissedSessions[]
  /** Waiting entries that seem to hold a secret. */
  readonly secrets: readonly { readonly name: string; readonly kinds: readonly string[] }[]
}

export const runStatus: RunVerb = async (context, { flags }) => {
  const { repository, spool, fallbackFolder } = openRepository(context)
  const facts = await readFacts(repository, context)
  const { logbookUrl, token } = readSettings(spool)
  const pending = [...readEntries(spool), ...readEntries({ ...spool, layout: layOut(fallbackFolder) })]
  const archived = readArchive(spool)
  const rejected = listRejected(spool)
  const entries = [...pending, ...archived, ...rejected].map(({ entry }) => entry)
  const status: Status = {
    repo: facts?.repo ?? null,
    logbookUrl,
    hasToken: token !== null,
    tools: summarizeTools(entries, repository.root, context),
    pending: pending.length,
    sent: archived.length,
    rejected: rejected.map(({ name, code, message }) => ({ name, code, message })),
    lastSend: readLastSend(spool),
    skipped: readSkips(spool),
    missed: findMissedSessions(repository, new Set(entries.map(({ session_id }) => String(session_id))), {
      ...context,
      since: context.files.modifiedAt(spool.layout.since) ?? context.now().getTime(),
    }),
    secrets: pending
      .map(({ name, text }) => ({ name, kinds: findSecrets(text) }))
      .filter(({ kinds }) => kinds.length > 0),
  }
  context.print(flags.json === undefined ? describeStatus(status) : `${JSON.stringify(status)}\n`)
  return 0
}

function readEntries(spool: Pick<Spool, 'files' | 'layout'>) {
  return listPending(spool).flatMap(name => {
    const bytes = readPending(spool, name)
    const parsed = bytes === null ? null : parseEntryText(bytes)
    return parsed === null ? [] : [{ name, ...parsed }]
  })
}
