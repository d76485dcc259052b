// Groups timed words into the lines of subtitles: to the end of a sentence, a pause, or a full line.
import type { SpokenWord, TranscriptionResult } from '../../../upstream/media-port.ts'

export type Segment = {
  readonly id: number
  readonly start: number
  readonly end: number
  readonly text: string
}

const longestLine = 84
const longestSeconds = 7
const pauseSeconds = 1

/** Without timed words the whole text is one segment, as long as the recording; of no length where that is not known. */
export function buildSegments(
  { text, words }: Pick<TranscriptionResult, 'text' | 'words'>,
  seconds: number | null,
): Segment[] {
  if (words.length === 0) return text === '' ? [] : [{ id: 0, start: 0, end: seconds ?? 0, text }]
  const groups: SpokenWord[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    if (group === undefined || startsLine(group, word)) groups.push([word])
    else group.push(word)
  }
  return groups.map((group, id) => ({
    id,
    start: group[0]?.start ?? 0,
    end: group.at(-1)?.end ?? 0,
    text: group.map(word => word.text).join(' '),
  }))
}

function startsLine(group: readonly SpokenWord[], next: SpokenWord): boolean {
  const last = group.at(-1)
  const first = group[0]
  if (last === undefined || first === undefined) return true
  const length = group.reduce((sum, word) => sum + word.text.length + 1, 0)
  return (
    /[.!?…]$/.test(last.text) ||
    next.start - last.end >= pauseSeconds ||
    next.end - first.start > longestSeconds ||
    length + next.text.length > longestLine
  )
}
