// `status`: shows that recording works, tool by tool, and where the entries are.
import { relative } from 'node:path'
import { showLine } from '@fairgate/contracts/text/show-hidden.ts'
import { readSettings } from '../config/settings.ts'
import { findRepositories, type Repository } from '../git/find-repository.ts'
import { readFacts } from '../git/read-facts.ts'
import type { ToolState } from '../install/inspect/judge-tool.ts'
import { createCallLogbook } from '../logbook/call-logbook.ts'
import { compareClocks, describeClock } from '../logbook/compare-clocks.ts'
import { type Announcement, nameAnnouncement, readAnnouncements } from '../push/announcements.ts'
import { nameSuspect } from '../push/describe-sending.ts'
import { findSuspects, type SuspectEntry } from '../push/find-secrets.ts'
import { type LastSend, readLastSend } from '../push/last-send.ts'
import { readSkips, type SkipSummary } from '../spool/append-log.ts'
import type { RejectedEntry } from '../spool/rejected.ts'
import { isSetUp, tools } from '../tools/find-tool.ts'
import type { KeptSessionSources, ToolName } from '../tools/tool.ts'
import { describeLeftToDo, listLeftToDo } from './list-left-to-do.ts'
import { openRepository, readRecords } from './open-repository.ts'
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
  /** As `ComparedClocks` has it. */
  readonly clockBehindMs: number
  /** Events that tools reported but that were not recorded. */
  readonly skipped: readonly SkipSummary[]
  /** Sessions that were started in a subfolder and ran no hook of this repository. */
  readonly missed: readonly MissedSessions[]
  /** Waiting entries that seem to contain a secret. */
  readonly secrets: readonly SuspectEntry[]
  /** The current announcements of the organisers; null if the logbook does not say. */
  readonly announcements: readonly Announcement[] | null
  /** What is left to do. */
  readonly steps: readonly string[]
}

export const runStatus: RunVerb = async (context, { flags }) => {
  const now = () => context.now().getTime()
  const open = openRepository(context)
  const { repository, spool } = open
  const facts = await readFacts(repository, context)
  const { logbookUrl, token } = readSettings(spool)
  const { pending, archived, rejected, entries } = readRecords(open)
  const lastSend = readLastSend(spool)
  const clocks =
    logbookUrl === null || token === null
      ? null
      : compareClocks(await createCallLogbook(logbookUrl, token, context.environment), now)
  const announcements = clocks === null ? null : await readAnnouncements(clocks.call, longestAskMs)
  const status: Status = {
    repo: facts?.repo ?? null,
    student: facts?.student ?? null,
    logbookUrl,
    hasToken: token !== null,
    tools: summarizeTools(entries, repository.root, spool, context),
    pending: pending.length,
    sent: archived.length,
    rejected: rejected.map(({ name, code, message }) => ({ name, code, message })),
    lastSend,
    clockBehindMs: clocks?.behindMs() ?? lastSend?.clockBehindMs ?? 0,
    skipped: readSkips(spool),
    missed: findMissedSessions(repository, new Set(entries.map(({ session_id }) => String(session_id))), {
      ...context,
      since: context.files.modifiedAt(spool.layout.since) ?? context.now().getTime(),
    }),
    secrets: findSuspects(pending),
    announcements,
    steps: await listLeftToDo(open, context),
  }
  context.print(flags.json === undefined ? describeStatus(status) : `${JSON.stringify(status)}\n`)
  return 0
}

/** `status` must also work on a bad network. */
const longestAskMs = 1500

// Finds sessions that a tool kept but that the recorder never heard of, because they were started in a subfolder of the project.

type MissedSessions = {
  readonly tool: ToolName
  /** Relative to the top of the work tree. */
  readonly folder: string
  readonly count: number
}

/** `recorded` has the session ids of all entries. A repository inside this one that is set up itself reports its own sessions. */
function findMissedSessions(
  { root, commonFolder }: Repository,
  recorded: ReadonlySet<string>,
  sources: Omit<KeptSessionSources, 'root'>,
): MissedSessions[] {
  const { readText } = sources
  const isOfThis = (folder: string) =>
    findRepositories(folder, readText).find(repository => isSetUp(repository, readText))?.commonFolder ===
    commonFolder
  return Object.values(tools).flatMap(({ name, findSessionsBelow }) => {
    const counts = new Map<string, number>()
    for (const { sessionId, folder } of findSessionsBelow?.({ ...sources, root }) ?? [])
      if (!recorded.has(sessionId) && isOfThis(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
    return [...counts].map(([folder, count]) => ({ tool: name, folder: relative(root, folder), count }))
  })
}

/** The page that `status` shows. */
function describeStatus(status: Status): string {
  const { repo, logbookUrl, hasToken, tools, pending, sent, rejected, lastSend } = status
  const { skipped, missed, secrets, announcements } = status
  const clock = describeClock(status.clockBehindMs)
  const lines = [
    repo === null ? 'repository  no remote named origin: nothing is recorded here' : `repository  ${repo}`,
    `logbook     ${logbookUrl ?? 'not set'}${hasToken ? '' : ', no log token'}`,
    `entries     ${pending} waiting, ${sent} sent, ${rejected.length} refused`,
    lastSend === null
      ? 'last send   never'
      : `last send   ${lastSend.at}: ${lastSend.sent} sent${lastSend.stop === null ? '' : `, stopped: ${lastSend.stop}`}`,
    ...(clock === null ? [] : [`clock       ${clock}`]),
    ...(announcements ?? []).map(each => `announced   ${nameAnnouncement(each)}`),
    '',
    ...tools.map(describeTool),
    ...skipped.map(
      ({ tool, reason, count, lastAt }) =>
        `skipped  ${tool}: ${count} ${count === 1 ? 'event' : 'events'}, last at ${lastAt}: ${reason}`,
    ),
    ...missed.map(
      ({ tool, folder, count }) =>
        `missed   ${tool}: ${count} ${count === 1 ? 'session was' : 'sessions were'} started in the subfolder ${folder} and not recorded: start it at the top, or run "fairgate-recorder init --subfolders"`,
    ),
    ...rejected.map(({ name, code, message }) => `refused  ${name}: ${code}: ${message}`),
    ...secrets.map(suspect => `secret?  ${nameSuspect(suspect)}. It will be sent as it is: replace it`),
    '',
    ...describeLeftToDo(status.steps),
  ]
  return `${lines.map(showLine).join('\n')}\n`
}

function describeTool(summary: ToolSummary): string {
  const { tool, counts, lastEvent, lastEventAt, neverSeen } = summary
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const last = lastEvent === null ? 'nothing yet' : `${total} entries, last ${lastEvent} at ${lastEventAt}`
  const missing = neverSeen.length === 0 ? '' : `; never seen: ${neverSeen.join(', ')}`
  return `${tool.padEnd(12)}${labels[summary.state].padEnd(13)}${last}${missing}`
}

const labels: Readonly<Record<ToolState, string>> = {
  ok: 'hooked',
  unseen: 'hooked',
  'no hooks': 'no hooks',
  gone: 'hooks gone',
  incomplete: 'incomplete',
  elsewhere: 'other path',
  unreadable: 'unreadable',
  'switched off': 'switched off',
  'not trusted': 'not trusted',
}
