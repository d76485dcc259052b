// Builds the `logs` page: sessions with their prompts, and under each prompt the tool's steps and answers.
import { isAutomaticPrompt } from '@fairgate/contracts/logbook/automatic-prompt.ts'
import type { StoredEntry } from '@fairgate/contracts/logbook/entries-page.ts'
import { asText, memberAt } from '../json/members.ts'
import { displayWidth, fitText, padText, wrapText } from '../terminal/display-width.ts'
import type { Line, Look, Span } from '../terminal/paint.ts'
import type { Screen } from '../terminal/screen.ts'

export type LogsLook = Pick<Screen, 'isTerminal' | 'width'> & {
  /** Show full texts, including tool inputs and outputs. */
  readonly isFull: boolean
}

const indent = '  '
/** Maximum lines of a prompt or an answer on a terminal. */
const maxLines = 3
/** Maximum length of a tool's input in a pipe. */
const longestInput = 500

export function describeLogs(entries: readonly StoredEntry[], look: LogsLook): Line[] {
  return groupEntries(entries).flatMap((session, index) => [
    ...(index === 0 ? [] : [[]]),
    ...describeSession(session, look),
  ])
}

function describeSession({ tool, sessionId, entries, turns }: Session, look: LogsLook): Line[] {
  const names = (member: 'repo' | 'branch' | 'student' | 'model') =>
    [...new Set(entries.map(entry => entry[member]))].filter(Boolean).join(', ')
  const place = [names('repo'), names('branch')].filter(Boolean).join(' on ')
  const facts = [place, names('student'), names('model')].filter(Boolean).join(', ')
  const id = sessionId === '' ? 'no session' : sessionId
  const head = `${tool}  ${id}  `
  const shownFacts = look.isTerminal ? fitText(facts, Math.max(20, look.width - displayWidth(head))) : facts
  let day = dayOf(entries[0])
  const lines: Line[] = [
    [['strong', tool], '  ', ['accent', id], '  ', shownFacts],
    [['faint', `${day}, ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`]],
  ]
  for (const [index, { prompt, steps }] of turns.entries()) {
    if (index > 0) lines.push([])
    for (const entry of prompt === null ? steps : [prompt, ...steps]) {
      if (dayOf(entry) !== day) {
        day = dayOf(entry)
        lines.push([['faint', day]])
      }
      lines.push(...describeEntry(entry, look))
    }
  }
  return lines
}

/** One line of the page, with optional lines below it. */
type Step = {
  readonly mark: string
  readonly look: Look | null
  /** In front of the text, such as the name of a tool. */
  readonly name: string
  readonly text: string
  readonly isLong: boolean
  /** Shown only with `--full`. */
  readonly parts: readonly (readonly [name: string, text: string])[]
}

function describeEntry(entry: StoredEntry, look: LogsLook): Line[] {
  const { mark, look: color, name, text, isLong, parts } = readStep(entry)
  const begin = `${indent}${timeOf(entry)} ${mark} `
  const margin = ' '.repeat(begin.length)
  const colored = (value: string): Span => (color === null ? value : [color, value])
  const beginning: Span[] = [indent, ['faint', timeOf(entry)], ' ', colored(mark), ' ']
  const label = name === '' ? '' : `${name}  `
  const room = Math.max(20, look.width - begin.length)
  if (look.isFull) {
    const [first = '', ...others] = layOut(isLong ? text : '', look, room)
    const lines = parts.flatMap(([title, value]): Line[] => [
      [margin, ['faint', title]],
      ...layOut(value, look, room - indent.length).map((line): Line => [margin, indent, line]),
    ])
    return [
      [...beginning, colored(label.trimEnd()), label === '' || first === '' ? '' : '  ', first],
      ...others.map((line): Line => [margin, line]),
      ...lines,
    ]
  }
  const single = text.replace(/\s+/g, ' ').trim()
  if (!look.isTerminal) return [[...beginning, label, isLong ? single : fitText(single, longestInput)]]
  if (!isLong) return [[...beginning, ['strong', label], fitText(single, room - displayWidth(label))]]
  const wrapped = wrapText(label + single, room)
  const shown = wrapped.slice(0, maxLines)
  const last = shown.length - 1
  return shown.map((line, index): Line => {
    const whole =
      index === last && wrapped.length > maxLines ? fitText(`${padText(line, room)}…`, room) : line
    return index === 0 ? [...beginning, colored(whole)] : [margin, colored(whole)]
  })
}

function readStep(entry: StoredEntry): Step {
  const { prompt, tool_name, tool_input, tool_response, tool_error, response_summary, stop_reason } = entry
  const step = { mark: ' ', look: null, name: '', isLong: false, parts: [] }
  if (prompt !== null && isAutomaticPrompt(prompt))
    return { ...step, look: 'faint', name: 'automatic', text: prompt, isLong: true }
  if (prompt !== null) return { ...step, mark: '>', look: 'accent', text: prompt, isLong: true }
  if (tool_name !== null || tool_input !== null) {
    const error = asText(tool_error)
    const parts = [
      ['input', writeValue(tool_input)],
      ['output', asText(tool_response)],
      ['error', error],
    ].flatMap(([name, text]) =>
      typeof name !== 'string' || text === null || text === undefined ? [] : [[name, text] as const],
    )
    const input = findDistinctInput(tool_input)
    if (error === null) return { ...step, name: tool_name ?? 'tool', text: input, parts }
    const text = [input, error].filter(Boolean).join(': ')
    return { ...step, mark: '!', look: 'bad', name: tool_name ?? 'tool', text, parts }
  }
  const reason = stop_reason === null ? '' : `(${stop_reason})`
  if (response_summary !== null)
    return { ...step, mark: '<', look: 'good', text: `${response_summary} ${reason}`.trimEnd(), isLong: true }
  return { ...step, look: 'faint', name: entry.event, text: reason, isLong: true }
}

/** The members of a tool's input that best describe it. */
const distinguishingMembers = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'path',
  'absolute_path',
  'target_file',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
]

function findDistinctInput(input: StoredEntry['tool_input']): string {
  if (typeof input !== 'object' || input === null) return asText(input) ?? ''
  for (const name of distinguishingMembers) {
    const value = memberAt(input, name)
    if (typeof value === 'string' && value !== '') return value
    if (Array.isArray(value) && value.every(part => typeof part === 'string')) return value.join(' ')
  }
  return JSON.stringify(input)
}

function writeValue(value: unknown): string | null {
  return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : asText(value)
}

/** Broken to the width of a terminal, or unchanged in a pipe. */
function layOut(text: string, { isTerminal }: LogsLook, room: number): string[] {
  const lines = text.split(/\r?\n/)
  return isTerminal ? lines.flatMap(line => wrapText(line, room)) : lines
}

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** In this machine's time. */
function timeOf({ ts }: StoredEntry): string {
  const at = new Date(ts)
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')
}

function dayOf(entry: StoredEntry | undefined): string {
  const at = new Date(entry?.ts ?? 0)
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`
}

/** The entries that follow one prompt. `prompt` is null if it is not among the entries. */
type Turn = { readonly prompt: StoredEntry | null; readonly steps: readonly StoredEntry[] }

type Session = {
  readonly tool: string
  readonly sessionId: string
  /** The oldest first. */
  readonly entries: readonly StoredEntry[]
  readonly turns: readonly Turn[]
}

/** `entries` come newest first, as the logbook returns them. The most recently active session comes first. */
function groupEntries(entries: readonly StoredEntry[]): Session[] {
  const sessions = new Map<string, StoredEntry[]>()
  // The entries come newest first, so the sessions are in order.
  for (const entry of entries) {
    const key = JSON.stringify([entry.tool, entry.session_id])
    const own = sessions.get(key) ?? []
    own.push(entry)
    sessions.set(key, own)
  }
  return [...sessions.values()].map(newestFirst => {
    const own = [...newestFirst].reverse()
    const [{ tool, session_id: sessionId } = { tool: '', session_id: '' }] = own
    return { tool, sessionId, entries: own, turns: splitTurns(own) }
  })
}

function splitTurns(entries: readonly StoredEntry[]): Turn[] {
  const turns: { prompt: StoredEntry | null; steps: StoredEntry[] }[] = []
  for (const entry of entries) {
    const last = turns.at(-1)
    if (entry.prompt !== null) turns.push({ prompt: entry, steps: [] })
    else if (last === undefined) turns.push({ prompt: null, steps: [entry] })
    else last.steps.push(entry)
  }
  return turns
}
