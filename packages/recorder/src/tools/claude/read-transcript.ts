// What a transcript of Claude Code tells: which model answered, with which text, and why it stopped.
import { asMoment, objectOf, textOf } from '../payload.ts'
import type { Payload, TranscriptLine } from '../tool.ts'

type Written = { readonly model: string; readonly at: number }

/** Answers that no model gave carry this name. */
const synthetic = '<synthetic>'

function assistantMessage(line: TranscriptLine): Payload | null {
  const message = objectOf(line, 'message')
  return line.type === 'assistant' && message.model !== synthetic ? message : null
}

function modelOf(line: TranscriptLine): Written | null {
  const model = textOf(assistantMessage(line) ?? {}, 'model')
  const at = asMoment(line.timestamp, new Date(0)).getTime()
  return model === null ? null : { model, at }
}

/** The model of the last answer. */
export function findLastModel(lines: readonly TranscriptLine[]): Written | null {
  return lines.map(modelOf).findLast(written => written !== null) ?? null
}

/** The model of the first answer after a moment (Unix ms). */
export function findModel(lines: readonly TranscriptLine[], after: number): Written | null {
  return lines.map(modelOf).find(written => written !== null && written.at >= after) ?? null
}

/**
 * The final answer and why it ended. `told` is the answer as the hook was told it: the transcript may lag behind, and its last
 * line counts for the reason only when it is that same answer.
 */
export function findLastAnswer(
  lines: readonly TranscriptLine[],
  told: string | null,
): { text: string | null; stopReason: string | null } {
  const messages = lines.map(assistantMessage).filter(message => message !== null)
  const last = messages.at(-1)
  const text = last === undefined ? null : joinText(last)
  const isSame = told === null || text?.trim() === told.trim()
  const lastText = messages.map(joinText).findLast(found => found !== null) ?? null
  return {
    text: told ?? lastText,
    stopReason: isSame && last !== undefined ? textOf(last, 'stop_reason') : null,
  }
}

function joinText({ content }: Payload): string | null {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return null
  const texts = content.filter(block => block?.type === 'text' && typeof block.text === 'string')
  return texts.length === 0 ? null : texts.map(block => block.text).join('')
}
