// `status`: shows that recording works, tool by tool, and where the entries are.
import { readSettings } from '../config/settings.ts'
import { readFacts } from '../git/read-facts.ts'
import { findSuspects, type SuspectEntry } from '../push/find-secrets.ts'
import { type LastSend, readLastSend } from '../push/last-send.ts'
import type { RejectedEntry } from '../spool/rejected.ts'
import { readSkips, type SkipSummary } from '../spool/skips.ts'
import { findMissedSessions, type MissedSessions } from '../tools/find-missed-sessions.ts'
import { describeStatus } from './describe-status.ts'
import { openRepository } from './open-repository.ts'
import { readRecords } from './read-records.ts'
import { summarizeTools, type ToolSummary } from './summarize-tools.ts'
import type { RunVerb } from './verb.ts'

export type Status = {
  readonly repo: string | null
  /** git's `user.email`, empty if there is none; null without a remote named origin. */
  readonly student: string | null
  readonly logbookUrl: string | null
  readonly hasToken: boolean
  readonly tools: readonly ToolSummary[]
  readonly pending: number
  readonly sent: number
  readonly rejected: readonly Omit<RejectedEntry, 'entry'>[]
  readonly lastSend: LastSend | null
  /** Events that tools reported but that were not recorded. */
  readonly skipped: readonly SkipSummary[]
  /** Sessions that were started in a subfolder and ran no hook of this repository. */
  readonly missed: readonly MissedSessions[]
  /** Waiting entries that seem to contain a secret. */
  readonly secrets: readonly SuspectEntry[]
}

export const runStatus: RunVerb = async (context, { flags }) => {
  const open = openRepository(context)
  const { repository, spool } = open
  const facts = await readFacts(repository, context)
  const { logbookUrl, token } = readSettings(spool)
  const { pending, archived, rejected, entries } = readRecords(open)
  const status: Status = {
    repo: facts?.repo ?? null,
    student: facts?.student ?? null,
    logbookUrl,
    hasToken: token !== null,
    tools: summarizeTools(entries, repository.root, spool, context),
    pending: pending.length,
    sent: archived.length,
    rejected: rejected.map(({ name, code, message }) => ({ name, code, message })),
    lastSend: readLastSend(spool),
    skipped: readSkips(spool),
    missed: findMissedSessions(repository, new Set(entries.map(({ session_id }) => String(session_id))), {
      ...context,
      since: context.files.modifiedAt(spool.layout.since) ?? context.now().getTime(),
    }),
    secrets: findSuspects(pending),
  }
  context.print(flags.json === undefined ? describeStatus(status) : `${JSON.stringify(status)}\n`)
  return 0
}
