// Merges periods of activity, so that what is left between them are gaps.

/** Unix ms. */
export type Span = { readonly from: number; readonly until: number }

/** In order of time. Two that are closer than `gapMs` become one. */
export function mergeSpans(spans: readonly Span[], gapMs: number): Span[] {
  const merged: { from: number; until: number }[] = []
  for (const { from, until } of spans.toSorted((left, right) => left.from - right.from)) {
    const last = merged.at(-1)
    if (last !== undefined && from - last.until < gapMs) last.until = Math.max(last.until, until)
    else merged.push({ from, until })
  }
  return merged
}

/** The periods between merged spans. */
export function listGaps(merged: readonly Span[]): Span[] {
  return merged.slice(1).map(({ from }, index) => ({ from: merged[index]?.until ?? from, until: from }))
}

export function sumSpans(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, until }) => sum + until - from, 0)
}
