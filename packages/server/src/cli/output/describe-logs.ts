// Formats entries, checks of their chains and the audit for people.
import type { JudgingVerification } from '@fairgate/contracts/judging/scores.ts'
import { readEntryTimes } from '@fairgate/contracts/logbook/entry-times.ts'
import type { AuditPage, AuditRow } from '@fairgate/contracts/management/audit.ts'
import type { LogEntriesPage, LoggedEntry } from '@fairgate/contracts/management/log-entries.ts'
import type { LogVerification } from '@fairgate/contracts/management/log-verification.ts'
import { showJson } from '@fairgate/contracts/text/show-hidden.ts'
import { absent, formatFields, formatItems } from './format.ts'

/** Maximum length of the gist in a line of the list. */
const gistLength = 72

export function describeEntries({ items, next_before: nextBefore }: LogEntriesPage): string {
  const table = formatItems(items, 'No entries.', {
    TEAM: 'team_id',
    SEQ: 'seq',
    TIME: describeTimes,
    TOOL: ({ entry }) => readText(entry, 'tool'),
    EVENT: ({ entry }) => readText(entry, 'event'),
    SESSION: ({ entry }) => shortenSession(readText(entry, 'session_id')),
    WHAT: ({ entry }) => describeGist(entry),
  })
  return items.length === 0 || nextBefore === null ? table : `${table}\n\nOlder ones: --before ${nextBefore}`
}

function describeTimes(times: Pick<LoggedEntry, 'ts' | 'received_at'>): string {
  const { at, claimed } = readEntryTimes(times)
  const show = (instant: string) => `${instant.slice(0, 19)}Z`
  return claimed === null ? show(at) : `${show(at)} (claims ${show(claimed)})`
}

/** The end of the id: UUIDs of version 7 begin with the time, so all sessions of a minute begin alike. */
function shortenSession(id: string): string {
  const characters = [...id]
  return characters.length > 13 ? `…${characters.slice(-12).join('')}` : id
}

export function describeEntry({ team_id, seq, id, ts, received_at, entry, ...kept }: LoggedEntry): string {
  const fields = formatFields([
    ['team', team_id],
    ['seq', seq],
    ['id', id],
    ['time', ts],
    ['received', received_at],
    ['chain', kept.chain],
    ['log token', kept.token_id],
    ['sent from', kept.client_address],
  ])
  return `${fields}\n\n${showJson(JSON.stringify(entry, null, 2))}`
}

/** The text that readers look for: prompt, tool call, its error, or answer. */
function describeGist(entry: object): string {
  const call = readText(entry, 'tool_name')
  const parts = [
    readText(entry, 'prompt'),
    call === '' ? '' : `${call} ${readText(entry, 'tool_input')}`,
    readText(entry, 'tool_error'),
    readText(entry, 'response_summary'),
    readText(entry, 'stop_reason'),
  ]
  const text = (parts.find(part => part !== '') ?? '').replace(/[ \t\r\n]+/g, ' ').trim()
  const characters = [...text.slice(0, 4 * gistLength)]
  return characters.length > gistLength ? `${characters.slice(0, gistLength - 1).join('')}…` : text
}

/** Objects and lists as JSON; empty if there is no value. */
function readText(entry: object, name: string): string {
  const value: unknown = Object.hasOwn(entry, name) ? Reflect.get(entry, name) : null
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function describeVerifications(checks: readonly LogVerification[]): string {
  const chains = formatItems(checks, 'No boards: there are no teams yet.', {
    TEAM: 'team_id',
    CHAIN: check => (check.ok ? 'ok' : 'BROKEN'),
    'INTACT ENTRIES': 'entries',
    HEAD: check => check.head?.chain.slice(0, 16),
    'FIRST BAD SEQ': ({ problem }) => (problem === null ? null : `${problem.seq} (${problem.kind})`),
  })
  const numbers = describeNumbers(checks)
  return numbers === null ? chains : `${chains}\n\n${numbers}`
}

/** The clones with gaps or duplicates in their recorder's numbers; null if there are none. */
function describeNumbers(checks: readonly LogVerification[]): string | null {
  const rows = checks.flatMap(({ team_id, recorders }) =>
    recorders
      .filter(({ missing, repeated }) => missing > 0 || repeated > 0)
      .map(recorder => ({ team_id, ...recorder })),
  )
  if (rows.length === 0) return null
  const table = formatItems(rows, '', {
    TEAM: 'team_id',
    CLONE: 'id',
    ENTRIES: 'entries',
    NUMBERS: ({ first, last }) => `${first}-${last}`,
    MISSING: 'missing',
    REPEATED: 'repeated',
  })
  return `${table}\n\nRecorders number the entries of each clone. A hook that was killed or a full disk leaves a gap, and a copied\nfolder repeats numbers: this is for information and no proof of anything.`
}

/** Null when every chain holds. */
export function describeBrokenChains(checks: readonly LogVerification[]): string | null {
  const broken = checks.filter(check => !check.ok)
  if (broken.length === 0) return null
  const places = broken.map(({ team_id, problem }) =>
    problem === null ? team_id : `${team_id} at seq ${problem.seq} (${problem.kind})`,
  )
  return `${broken.length} of ${checks.length} checked chains broken: ${places.join(', ')}.`
}

/** Nothing before the first record. */
export function describeJudging({ ok, records, problem }: JudgingVerification): string[] {
  if (!ok) return [`Record of judging: BROKEN at ${problem?.seq} (${problem?.kind})`]
  return records === 0 ? [] : [`Record of judging: ok, ${records} records`]
}

export function describeBrokenJudging({ seq, kind }: NonNullable<JudgingVerification['problem']>): string {
  return `The record of judging is broken at number ${seq} (${kind}).`
}

export function describeAudit({ items, next_before_id: next }: AuditPage): string {
  const table = formatItems(items, 'No changes recorded.', {
    ID: 'id',
    AT: 'at',
    ACTOR: 'actor',
    ACTION: 'action',
    TEAM: row => row.team_id || null,
    TARGET: row => (row.target === row.team_id ? null : row.target.slice(0, 16)),
    REASON: 'reason',
    CHANGED: describeChange,
  })
  return items.length === 0 || next === null ? table : `${table}\n\nOlder ones: --before ${next}`
}

/** The members that differ. Empty if something was created or deleted as a whole. */
function describeChange({ before, after }: AuditRow): string {
  if (before === null || after === null) return absent
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changes = names.flatMap(name => {
    const [from, to] = [showValue(before[name]), showValue(after[name])]
    return from === to ? [] : [`${name}: ${from} → ${to}`]
  })
  return changes.length === 0 ? absent : changes.join('; ')
}

function showValue(value: unknown): string {
  return JSON.stringify(value) ?? absent
}
