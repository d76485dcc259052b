// The one form of a text in which a call and a log entry can be found to hold the same words, although each was written by another program.
import { cutText } from './cut-text.ts'
import { truncationLimits } from './limits.ts'

/** A prompt of the user, the result of a tool, or the final answer of a turn. */
export type JoinTextKind = 'prompt' | 'result' | 'answer'

const limits: Readonly<Record<JoinTextKind, number>> = {
  prompt: truncationLimits.prompt,
  result: truncationLimits.tool_response,
  answer: truncationLimits.response_summary,
}

/**
 * The text as the logbook keeps it, in Unicode's composed form (NFC), with `\n` for `\r\n` and without white space at its end. It
 * is cut first, because that is what happens to an entry: whoever has only the stored text gets the same as whoever has all of it.
 */
export function buildJoinText(kind: JoinTextKind, text: string): string {
  return cutText(text, limits[kind]).normalize('NFC').replaceAll('\r\n', '\n').trimEnd()
}
