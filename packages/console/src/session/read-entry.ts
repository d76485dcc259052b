// Classifies a log entry for the conversation view as a prompt, answer, tool use or plain event.
import { isAutomaticPrompt } from '@fairgate/contracts/logbook/automatic-prompt.ts'
import { unpackOutput, writeOutput } from './read-output.ts'

export type DiffLine = { readonly sign: '+' | '-' | ' '; readonly text: string }

export type ReadEntry =
  /** `isAutomatic`: written by the tool, not by a person. */
  | { readonly kind: 'prompt'; readonly text: string; readonly isAutomatic: boolean }
  | { readonly kind: 'answer'; readonly text: string; readonly stop: string | null }
  | ToolUse
  | { readonly kind: 'event'; readonly text: string | null }

export type ToolUse = {
  readonly kind: 'tool'
  readonly name: string
  /** Its input in one line, such as a command or path. */
  readonly ask: string
  /** Its output; null if the entry has none. */
  readonly body: string | null
  readonly diff: readonly DiffLine[] | null
  readonly isFailed: boolean
  readonly exitCode: number | null
  /** True if the entry was written before the tool ran. */
  readonly isStart: boolean
}

type Members = Readonly<Record<string, unknown>>

export function readEntry(entry: object): ReadEntry {
  const members: Members = { ...entry }
  const toolName = textOf(members.tool_name)
  if (toolName !== null) return readTool(toolName, members)
  const prompt = textOf(members.prompt)
  if (prompt !== null) return { kind: 'prompt', text: prompt, isAutomatic: isAutomaticPrompt(prompt) }
  const answer = textOf(members.response_summary) ?? textOf(members.response)
  if (answer !== null) return { kind: 'answer', text: answer, stop: textOf(members.stop_reason) }
  return { kind: 'event', text: textOf(members.message) ?? textOf(members.reason) }
}

function readTool(name: string, members: Members): ToolUse {
  const { tool_input: input } = members
  const [response, error] = [unpackOutput(members.tool_response), unpackOutput(members.tool_error)]
  const answer = isMembers(response) ? response : {}
  const exitCode = [answer.exit_code, answer.exitCode].find(value => typeof value === 'number') ?? null
  const isFailed =
    (error !== undefined && error !== null) ||
    (exitCode !== null && exitCode !== 0) ||
    answer.is_error === true ||
    answer.success === false
  return {
    kind: 'tool',
    name,
    ask: writeAsk(input),
    body: writeOutput(error) ?? writeOutput(response),
    diff: readDiff(input),
    isFailed,
    exitCode: exitCode as number | null,
    isStart: response === undefined && !isFailed,
  }
}

const askedBy = ['command', 'cmd', 'file_path', 'path', 'filePath', 'pattern', 'query', 'url', 'description']

function writeAsk(input: unknown): string {
  if (typeof input === 'string') return firstLine(input)
  if (!isMembers(input)) return ''
  const named = askedBy.map(name => input[name]).find(value => value !== undefined)
  const found = named ?? Object.values(input).find(value => typeof value === 'string') ?? ''
  return firstLine(
    Array.isArray(found)
      ? found.map(String).join(' ')
      : typeof found === 'string'
        ? found
        : JSON.stringify(found),
  )
}

function firstLine(text: string): string {
  const end = text.indexOf('\n')
  return end < 0 ? text : text.slice(0, end)
}

function readDiff(input: unknown): readonly DiffLine[] | null {
  if (typeof input === 'string') return readPatch(input)
  if (!isMembers(input)) return null
  const edits = Array.isArray(input.edits) ? input.edits.filter(isMembers) : [input]
  const lines = edits.flatMap(edit => diffTexts(textOf(edit.old_string), textOf(edit.new_string)))
  if (lines.length > 0) return lines
  const patch = textOf(input.patch) ?? textOf(input.input)
  if (patch !== null) return readPatch(patch)
  const command = textOf(input.command)
  if (command !== null && /^\*\*\* Begin Patch/m.test(command)) return readPatch(command)
  const whole = textOf(input.content)
  return whole !== null && textOf(input.file_path) !== null ? linesOf('+', whole) : null
}

function readPatch(text: string): readonly DiffLine[] | null {
  if (!/^(?:\*\*\* Begin Patch|diff --git |--- )/m.test(text)) return null
  return text
    .split('\n')
    .map(line =>
      line.startsWith('+')
        ? { sign: '+' as const, text: line.slice(1) }
        : line.startsWith('-')
          ? { sign: '-' as const, text: line.slice(1) }
          : { sign: ' ' as const, text: line },
    )
}

/** Keeps up to two shared lines before and after the change. */
function diffTexts(before: string | null, after: string | null): DiffLine[] {
  if (before === null && after === null) return []
  const old = before === null ? [] : before.split('\n')
  const fresh = after === null ? [] : after.split('\n')
  let start = 0
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1
  let end = 0
  while (
    end < Math.min(old.length, fresh.length) - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end += 1
  const same = (lines: readonly string[]) => lines.map(text => ({ sign: ' ' as const, text }))
  return [
    ...same(old.slice(Math.max(0, start - 2), start)),
    ...old.slice(start, old.length - end).map(text => ({ sign: '-' as const, text })),
    ...fresh.slice(start, fresh.length - end).map(text => ({ sign: '+' as const, text })),
    ...same(old.slice(old.length - end, old.length - end + 2)),
  ]
}

function linesOf(sign: '+', text: string): DiffLine[] {
  return text.split('\n').map(line => ({ sign, text: line }))
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
