// What the logbook holds, as lines for people: entries, the checks of their chains, and the record of management changes.
import { readEntryTimes } from '@fairgate/contracts/logbook/entry-times.ts'
import type { AuditPage, AuditRow } from '@fairgate/contracts/management/audit.ts'
import type { LogEntriesPage, LoggedEntry } from '@fairgate/contracts/management/log-entries.ts'
import type { LogVerification } from '@fairgate/contracts/management/log-verification.ts'
import { showJson } from '@fairgate/contracts/text/show-hidden.ts'
import { absent, formatFields, formatTable } from './format.ts'

/** Characters of the gist in a line of the list. */
const gistLength = 72

export function describeEntries({ items, next_before: nextBefore }: LogEntriesPage): string {
  if (items.length === 0) return 'No entries.'
  const table = formatTable(
    ['TEAM', 'SEQ', 'TIME', 'TOOL', 'EVENT', 'SESSION', 'WHAT'],
    items.map(({ entry, ...item }) => [
      item.team_id,
      String(item.seq),
      describeTimes(item),
      readText(entry, 'tool'),
      readText(entry, 'event'),
      shortenSession(readText(entry, 'session_id')),
      describeGist(entry),
    ]),
  )
  return nextBefore === null ? table : `${table}\n\nOlder ones: --before ${nextBefore}`
}

function describeTimes(times: Pick<LoggedEntry, 'ts' | 'received_at'>): string {
  const { at, claimed } = readEntryTimes(times)
  const show = (instant: string) => `${instant.slice(0, 19)}Z`
  return claimed === null ? show(at) : `${show(at)} (claims ${show(claimed)})`
}

/** The end of the id: UUIDs of version 7 begin with the time, so that all sessions of a minute begin alike. */
function shortenSession(id: string): string {
  const characters = [...id]
  return characters.length > 13 ? `…${characters.slice(-12).join('')}` : id
}

export function describeEntry({ team_id, seq, id, ts, received_at, entry, ...kept }: LoggedEntry): string {
  const fields = formatFields([
    ['team', team_id],
    ['seq', String(seq)],
    ['id', id],
    ['time', ts],
    ['received', received_at],
    ['chain', kept.chain],
    ['log token', kept.token_id ?? absent],
    ['sent from', kept.client_address ?? absent],
  ])
  return `${fields}\n\n${showJson(JSON.stringify(entry, null, 2))}`
}

/** What a person looks for: the prompt, the tool call, its error, the answer. */
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

/** Objects and lists as JSON; empty where there is no value. */
function readText(entry: object, name: string): string {
  const value: unknown = Object.hasOwn(entry, name) ? Reflect.get(entry, name) : null
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function describeVerifications(checks: readonly LogVerification[]): string {
  if (checks.length === 0) return 'No boards: there are no teams yet.'
  const chains = formatTable(
    ['TEAM', 'CHAIN', 'INTACT ENTRIES', 'HEAD', 'FIRST BAD SEQ'],
    checks.map(check => [
      check.team_id,
      check.ok ? 'ok' : 'BROKEN',
      String(check.entries),
      check.head?.chain.slice(0, 16) ?? absent,
      check.problem === null ? absent : `${check.problem.seq} (${check.problem.kind})`,
    ]),
  )
  const numbers = describeNumbers(checks)
  return numbers === null ? chains : `${chains}\n\n${numbers}`
}

/** The clones whose recorder's numbers have gaps or come twice; null when there are none. */
function describeNumbers(checks: readonly LogVerification[]): string | null {
  const rows = checks.flatMap(({ team_id, recorders }) =>
    recorders
      .filter(({ missing, repeated }) => missing > 0 || repeated > 0)
      .map(({ id, entries, first, last, missing, repeated }) =>
        [team_id, id, entries, `${first}-${last}`, missing, repeated].map(String),
      ),
  )
  if (rows.length === 0) return null
  const table = formatTable(['TEAM', 'CLONE', 'ENTRIES', 'NUMBERS', 'MISSING', 'REPEATED'], rows)
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

export function describeAudit({ items }: AuditPage): string {
  if (items.length === 0) return 'No changes recorded.'
  return formatTable(
    ['ID', 'AT', 'ACTOR', 'ACTION', 'TEAM', 'TARGET', 'CHANGED'],
    items.map(row => [
      String(row.id),
      row.at,
      row.actor,
      row.action,
      row.team_id,
      row.target === row.team_id ? absent : row.target.slice(0, 16),
      describeChange(row),
    ]),
  )
}

/** The members that differ. Nothing when something was created or deleted as a whole. */
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
