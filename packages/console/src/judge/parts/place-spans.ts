// Places the times of work of a team on one axis, and gives each tool its series.
import type { DossierReply } from '@fairgate/contracts/judging/reading.ts'

type Person = DossierReply['people'][number]

/** From 0 to 1 of the axis. */
export type PlacedSpan = {
  readonly left: number
  readonly width: number
  /** Index of the tool among those of the team; null for calls without a log. */
  readonly series: number | null
}

/** Unix ms. Null if nobody has worked. */
export function findWorkTime(
  people: readonly Person[],
): { readonly from: number; readonly until: number } | null {
  let [from, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { spans } of people)
    for (const span of spans) {
      from = Math.min(from, Date.parse(span.from))
      until = Math.max(until, Date.parse(span.until))
    }
  return from > until ? null : { from, until: Math.max(until, from + 60_000) }
}

/** Tools by their cost, the largest first, so that each keeps its colour within a dossier. */
export function listTools({ tools, people }: Pick<DossierReply, 'tools' | 'people'>): string[] {
  const used = people.flatMap(({ spans }) =>
    spans.flatMap(({ tool, logged }) => (logged ? (tool ?? []) : [])),
  )
  const byCost = tools.toSorted((one, other) => other.cost_nano - one.cost_nano).map(({ tool }) => tool)
  return [...new Set([...byCost.filter(tool => used.includes(tool)), ...used])]
}

export function placeSpans(
  spans: Person['spans'],
  { from, until }: { readonly from: number; readonly until: number },
  tools: readonly string[],
): PlacedSpan[] {
  return spans.map(span => {
    const [start, end] = [Date.parse(span.from), Date.parse(span.until)]
    return {
      left: (start - from) / (until - from),
      width: Math.max(0, end - start) / (until - from),
      series: span.logged ? (span.tool === null ? tools.length : tools.indexOf(span.tool)) : null,
    }
  })
}
