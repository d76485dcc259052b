// Cuts an excerpt at what was found in it. The server counts in code points; texts are stored in units of 16 bits.

export type ExcerptPart = { readonly text: string; readonly isHit: boolean; readonly at: number }

export function cutExcerpt(
  excerpt: string,
  ranges: readonly (readonly [number, number])[],
): readonly ExcerptPart[] {
  const points = [...excerpt]
  const parts: ExcerptPart[] = []
  let done = 0
  for (const [start, end] of ranges) {
    if (start > done) parts.push({ text: points.slice(done, start).join(''), isHit: false, at: done })
    if (end > Math.max(start, done)) {
      parts.push({
        text: points.slice(Math.max(start, done), end).join(''),
        isHit: true,
        at: Math.max(start, done),
      })
      done = end
    }
  }
  if (done < points.length) parts.push({ text: points.slice(done).join(''), isHit: false, at: done })
  return parts
}
