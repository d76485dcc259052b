// Reads a transcript of Claude Code: which model answered, with which text, and why it stopped.
import { cutText } from '@fairgate/contracts/logbook/cut-text.ts'
import { truncationLimits } from '@fairgate/contracts/logbook/limits.ts'
import { asMoment, objectOf, textOf, withoutSpace } from '../../json/members.ts'
import type { Payload, TranscriptLine } from '../tool.ts'

type Written = { readonly model: string; readonly at: number }

/** The model name in answers that no model gave. */
const synthetic = '<synthetic>'

/** Every line of an answer contains this. Lines with the output of a tool, which may be megabytes, do not. */
export const answerMarks = ['"assistant"']

/** An answer without its tool calls. */
export function digestAnswer(line: TranscriptLine): TranscriptLine | null {
  const message = assistantMessage(line)
  if (message === null) return null
  const { id, model, content, stop_reason } = message
  const texts = Array.isArray(content) ? content.filter(isText) : content
  return { type: line.type, timestamp: timeOf(line), message: { id, model, content: texts, stop_reason } }
}

export function namesModel(line: TranscriptLine): boolean {
  return modelOf(line) !== null
}

/** The model of the last answer up to a moment (Unix ms). */
export function findLastModel(lines: readonly TranscriptLine[], until: number): Written | null {
  return modelOf(lines.findLast(line => timeOf(line) <= until && namesModel(line)) ?? {})
}

/** The model of the first answer after a moment (Unix ms). */
export function findModelAfter(lines: readonly TranscriptLine[], after: number): Written | null {
  return modelOf(lines.find(line => timeOf(line) > after && namesModel(line)) ?? {})
}

/** The last text that a model wrote. */
export function findLastText(lines: readonly TranscriptLine[]): string | null {
  return joinText(lines.findLast(line => joinText(line) !== null) ?? {})
}

/** How much earlier (ms) than its answer a hook may seem to have run if the clock was set meanwhile. */
const clockTolerance = 1000
/** A turn ends with its answer. An equal text this many lines before the end is an older answer. */
const maxLinesBack = 20

/**
 * Why the last answer with this text before a moment (Unix ms) ended. The text may be cut to the length that an entry can have.
 * null: the transcript does not have the answer or its reason.
 */
export function findStopReason(
  lines: readonly TranscriptLine[],
  text: string | null,
  until: number,
): string | null {
  if (text === null) return null
  const isSame = createComparison(text)
  const last = lines.findLastIndex(
    line => assistantMessage(line) !== null && timeOf(line) <= until + clockTolerance,
  )
  for (let index = last; index >= 0 && index > last - maxLinesBack; index -= 1) {
    const own = linesOfMessage(lines, index)
    const isFound = isSame(joinText(lines[index] ?? {})) || isSame(joinText(...own))
    if (isFound) return reasonOf(own)
  }
  return null
}

/** Why the very last answer ended. If its text is given, the answer must have that text, because the transcript may lag behind. */
export function findLastStopReason(lines: readonly TranscriptLine[], reported: string | null): string | null {
  const last = lines.findLastIndex(line => assistantMessage(line) !== null)
  if (last < 0) return null
  const own = linesOfMessage(lines, last)
  return reported === null ? reasonOf(own) : findStopReason(own, reported, Number.POSITIVE_INFINITY)
}

/** A message can span several consecutive lines, and only the last one may say how it ended. */
function linesOfMessage(lines: readonly TranscriptLine[], index: number): TranscriptLine[] {
  const id = idOf(lines[index])
  if (id === null) return lines.slice(index, index + 1)
  let [first, end] = [index, index + 1]
  while (idOf(lines[first - 1]) === id) first -= 1
  while (idOf(lines[end]) === id) end += 1
  return lines.slice(first, end)
}

function idOf(line: TranscriptLine | undefined): string | null {
  return textOf(assistantMessage(line ?? {}) ?? {}, 'id')
}

function reasonOf(lines: readonly TranscriptLine[]): string | null {
  const reasons = lines.map(line => textOf(assistantMessage(line) ?? {}, 'stop_reason'))
  return reasons.findLast(reason => reason !== null) ?? null
}

/** The hook and the transcript put different whitespace between and around the parts of an answer. */
function createComparison(reported: string): (written: string | null) => boolean {
  const limit = truncationLimits.response_summary
  const bare = withoutSpace(reported)
  const isCut = cutText(reported, limit) === reported && cutText(reported, limit - 1) !== reported
  return written => {
    if (written === null || bare === '') return false
    const other = withoutSpace(written)
    return other === bare || (isCut && other.startsWith(bare))
  }
}

function assistantMessage(line: TranscriptLine): Payload | null {
  if (line.type !== 'assistant') return null
  const message = objectOf(line, 'message')
  return message.model === synthetic ? null : message
}

/** The model that wrote a line; null if it is not the answer of a model. */
export function modelOf(line: TranscriptLine): Written | null {
  const model = textOf(assistantMessage(line) ?? {}, 'model')
  return model === null ? null : { model, at: timeOf(line) }
}

function timeOf(line: TranscriptLine): number {
  return asMoment(line.timestamp, new Date(0)).getTime()
}

function joinText(...lines: readonly TranscriptLine[]): string | null {
  const texts = lines.flatMap(line => {
    const content = assistantMessage(line)?.content
    if (typeof content === 'string') return [content]
    return Array.isArray(content) ? content.filter(isText).map(block => block.text) : []
  })
  return texts.length === 0 ? null : texts.join('')
}

function isText(block: unknown): block is { readonly type: 'text'; readonly text: string } {
  if (typeof block !== 'object' || block === null) return false
  return 'type' in block && block.type === 'text' && 'text' in block && typeof block.text === 'string'
}
