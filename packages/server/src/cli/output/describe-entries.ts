// Entries of the logbook as lines for people: one line per entry in a list, and a single entry in full.
import type { LogEntriesPage, LoggedEntry } from '@fairgate/contracts/management/log-entries.ts'
import { showJson } from '@fairgate/contracts/text/show-hidden.ts'
import { formatFields, formatTable } from './format-table.ts'

/** Characters of the gist in a line of the list. */
const gistLength = 72

export function describeEntries({ items, next_before: nextBefore }: LogEntriesPage): string {
  if (items.length === 0) return 'No entries.'
  const table = formatTable(
    ['TEAM', 'SEQ', 'TIME', 'TOOL', 'EVENT', 'SESSION', 'WHAT'],
    items.map(({ team_id, seq, ts, entry }) => [
      team_id,
      String(seq),
      `${ts.slice(0, 19)}Z`,
      readText(entry, 'tool'),
      readText(entry, 'event'),
      readText(entry, 'session_id').slice(0, 12),
      describeGist(entry),
    ]),
  )
  return nextBefore === null ? table : `${table}\n\nOlder ones: --before ${nextBefore}`
}

export function describeEntry({ team_id, seq, id, ts, received_at, chain, entry }: LoggedEntry): string {
  const fields = formatFields([
    ['team', team_id],
    ['seq', String(seq)],
    ['id', id],
    ['time', ts],
    ['received', received_at],
    ['chain', chain],
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
