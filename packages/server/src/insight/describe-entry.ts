// Summarises an entry in one line, for lists. Anyone may have written the entry, so nothing in it is certain.
import { type LogbookLine, maxEntryText } from '@fairgate/contracts/console/logbook.ts'
import type { LogbookEntry } from '../logbook/list-entries/create-entries-reader.ts'

/** Members of a tool's input that describe its task, the most informative first. */
const askedBy = ['command', 'cmd', 'file_path', 'path', 'filePath', 'pattern', 'query', 'url', 'description']

type Members = Readonly<Record<string, unknown>>

export type DescribedEntry = {
  readonly tool: string | null
  readonly event: string | null
  readonly sessionId: string | null
  readonly student: string | null
  /** At most `maxEntryText` characters; '' if the entry has no such text. */
  readonly text: string
}

/** `body`: the JSON of an entry. */
export function describeEntry(body: string): DescribedEntry {
  const members = parseMembers(body)
  return {
    tool: readText(members.tool),
    event: readText(members.event),
    sessionId: readText(members.session_id),
    student: readText(members.student),
    text: cutLine(findText(members)),
  }
}

/** An entry of a log as one line of the logbook. */
export function writeLine(
  entry: Pick<LogbookEntry, 'teamId' | 'seq' | 'ts' | 'receivedAt' | 'isLate' | 'body'>,
): LogbookLine {
  const { tool, event, sessionId, student, text } = describeEntry(entry.body)
  return {
    team_id: entry.teamId,
    seq: entry.seq,
    ts: entry.ts,
    received_at: entry.receivedAt,
    is_late: entry.isLate,
    tool,
    event,
    session_id: sessionId,
    student,
    text,
    bytes: Buffer.byteLength(entry.body),
  }
}

function findText(members: Members): string {
  const toolName = readText(members.tool_name)
  if (toolName !== null) return `${toolName} ${findAsk(members.tool_input)}`
  const named = [members.prompt, members.response_summary, members.response, members.message, members.reason]
  return named.map(readText).find(text => text !== null) ?? ''
}

function findAsk(input: unknown): string {
  if (typeof input === 'string') return input
  if (!isMembers(input)) return ''
  const asked = askedBy.map(name => input[name]).find(value => value !== undefined && value !== null)
  const found = asked ?? Object.values(input).find(value => typeof value === 'string') ?? ''
  return typeof found === 'string' ? found : JSON.stringify(found)
}

/** Cut by code points, and without the spaces and line breaks that a line does not show. */
function cutLine(text: string): string {
  const line = text
    .slice(0, 8 * maxEntryText)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return [...line.slice(0, 2 * maxEntryText)].slice(0, maxEntryText).join('')
}

function parseMembers(text: string): Members {
  try {
    const value: unknown = JSON.parse(text)
    return isMembers(value) ? value : {}
  } catch {
    return {}
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
