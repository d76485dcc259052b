// Cuts long lines down to the part that matters in a report.

const shownWidth = 200

/** Finds the first character in which two lines differ. */
export function findDifference(line: string, other: string): number {
  let at = 0
  while (at < line.length && line[at] === other[at]) at += 1
  return at
}

/** Cuts a long line, starting shortly before `place`. */
export function shorten(line: string, place: number): string {
  const start = line.length <= shownWidth ? 0 : Math.max(0, place - shownWidth / 2)
  const text = line.slice(start, start + shownWidth)
  return `${start > 0 ? '…' : ''}${text}${start + text.length < line.length ? '…' : ''}`
}
