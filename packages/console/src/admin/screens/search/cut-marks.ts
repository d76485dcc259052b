// Takes an excerpt apart at what was looked for. The server counts in Unicode code points.

export type Piece = { readonly text: string; readonly isMark: boolean }

/** Ranges beyond the text, backwards or overlapping do no harm: every character comes out once. */
export function cutMarks(text: string, ranges: readonly (readonly [number, number])[]): Piece[] {
  const characters = [...text]
  const pieces: Piece[] = []
  let at = 0
  const push = (until: number, isMark: boolean) => {
    if (until > at) pieces.push({ text: characters.slice(at, until).join(''), isMark })
    at = Math.max(at, until)
  }
  for (const [start, end] of ranges.toSorted(([left], [right]) => left - right)) {
    push(Math.min(start, characters.length), false)
    push(Math.min(end, characters.length), true)
  }
  push(characters.length, false)
  return pieces
}
