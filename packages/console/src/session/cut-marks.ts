// Splits an excerpt at its matches. The server counts in Unicode code points.

export type Piece = { readonly text: string; readonly isMark: boolean }

/** Returns every character once, even if ranges overlap, run backwards or exceed the text. */
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
