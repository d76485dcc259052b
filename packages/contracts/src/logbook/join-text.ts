// Normalises texts so that a call and a log entry can be compared, although they were written by different programs.
import { cutText } from './cut-text.ts'
import { truncationLimits } from './limits.ts'

/** A user prompt, a tool result, or the final answer of a turn. */
export type JoinTextKind = 'prompt' | 'result' | 'answer'

const limits: Readonly<Record<JoinTextKind, number>> = {
  prompt: truncationLimits.prompt,
  result: truncationLimits.tool_response,
  answer: truncationLimits.response_summary,
}

/**
 * Returns the text as the logbook stores it, in Unicode's composed form (NFC), with `\n` for `\r\n` and without trailing white space.
 * It is cut first, as entries are, so that the stored text and the full text give the same result.
 */
export function buildJoinText(kind: JoinTextKind, text: string): string {
  return cutText(text, limits[kind]).normalize('NFC').replaceAll('\r\n', '\n').trimEnd()
}
