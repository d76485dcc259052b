// What an item of a session is for its reader: a prompt, an answer, a tool at work, a call of the gateway, or something else.
import type { SessionItem } from '@fairgate/contracts/console/session-view.ts'

type Entry = NonNullable<SessionItem['entry']>

export type ReadItem =
  | { readonly kind: 'prompt'; readonly entry: Entry; readonly text: string }
  | {
      readonly kind: 'answer'
      readonly entry: Entry
      readonly text: string
      readonly stopReason: string | null
    }
  | {
      readonly kind: 'tool'
      readonly entry: Entry
      readonly name: string
      /** One line: the command, the file, the question. */
      readonly gist: string
      readonly input: string | null
      readonly output: string | null
      readonly error: string | null
      /** Shown open at once. */
      readonly isOpen: boolean
    }
  | { readonly kind: 'other'; readonly entry: Entry; readonly text: string }
  | { readonly kind: 'call'; readonly call: NonNullable<SessionItem['call']>; readonly isRefused: boolean }

export function readItem({ entry, call, kind }: SessionItem): ReadItem | null {
  if (call !== null) return { kind: 'call', call, isRefused: kind === 'refusal' }
  if (entry === null) return null
  const members = entry.entry as Readonly<Record<string, unknown>>
  const prompt = textOf(members.prompt)
  if (prompt !== null) return { kind: 'prompt', entry, text: prompt }
  const name = textOf(members.tool_name)
  if (name !== null) {
    const error = showValue(members.tool_error)
    const output = showValue(members.tool_response)
    return {
      kind: 'tool',
      entry,
      name,
      gist: findGist(members.tool_input),
      input: showValue(members.tool_input),
      output,
      error,
      isOpen: error !== null || hasFailed(members.tool_response),
    }
  }
  const answer = textOf(members.response_summary)
  if (answer !== null) return { kind: 'answer', entry, text: answer, stopReason: textOf(members.stop_reason) }
  return { kind: 'other', entry, text: textOf(members.stop_reason) ?? '' }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Members in which tools say what they are about, the most telling first. */
const telling = ['command', 'cmd', 'file_path', 'path', 'pattern', 'query', 'url', 'description'] as const
const mostGist = 160

function findGist(input: unknown): string {
  if (typeof input === 'string') return firstLine(input)
  if (typeof input !== 'object' || input === null) return ''
  const members = input as Readonly<Record<string, unknown>>
  for (const name of telling) {
    const value = members[name]
    if (typeof value === 'string') return firstLine(value)
    if (Array.isArray(value)) return firstLine(value.filter(part => typeof part === 'string').join(' '))
  }
  return ''
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line.length > mostGist ? `${line.slice(0, mostGist)}…` : line
}

/** Texts as they are; all else as JSON in lines. */
function showValue(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function hasFailed(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return false
  const { exit_code: code, is_error: isError } = response as {
    readonly exit_code?: unknown
    readonly is_error?: unknown
  }
  return (typeof code === 'number' && code !== 0) || isError === true
}

/** Nothing happened for longer than this: the reader is told for how long. */
const gapMs = 5 * 60_000

export function gapBefore(item: SessionItem, before: SessionItem | undefined): number | null {
  if (before === undefined) return null
  const ms = Date.parse(item.at) - Date.parse(before.call?.ended_at ?? before.at)
  return ms >= gapMs ? ms : null
}
