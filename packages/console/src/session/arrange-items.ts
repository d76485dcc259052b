// Sorts a session's items for reading, and adds the gaps between them and the cost of each prompt.
import type { SessionItem } from '@fairgate/contracts/console/session-view.ts'
import { type ReadEntry, readEntry } from './read-entry.ts'

/** Shorter silences are not shown. */
const leastGapMs = 5000

export type SessionRow =
  | {
      readonly kind: 'item'
      readonly key: string
      readonly item: SessionItem
      readonly read: ReadEntry | null
    }
  | { readonly kind: 'gap'; readonly key: string; readonly ms: number; readonly during: string | null }
  | { readonly kind: 'no-call'; readonly key: string }

export type Turn = {
  readonly seq: number
  readonly at: string
  readonly text: string
  readonly costNano: number
  /** True if all its items are loaded, so that its cost is complete. */
  readonly isWhole: boolean
}

/** Merges items of multiple pages and the live stream: each once, sorted by time. Later lists are newer and win. */
export function mergeItems(...lists: readonly (readonly SessionItem[])[]): SessionItem[] {
  const byRef = new Map<string, SessionItem>()
  for (const item of lists.flat()) byRef.set(item.ref, item)
  return [...byRef.values()].sort(
    (left, right) =>
      Date.parse(left.at) - Date.parse(right.at) || (left.entry?.seq ?? 0) - (right.entry?.seq ?? 0),
  )
}

/** `isFirstThere`, `isLastThere`: the session's first or last item is loaded. */
export function arrangeItems(
  items: readonly SessionItem[],
  { isFirstThere, isLastThere }: { readonly isFirstThere: boolean; readonly isLastThere: boolean },
): { readonly rows: readonly SessionRow[]; readonly turns: readonly Turn[] } {
  const rows: SessionRow[] = []
  const turns: Turn[] = []
  let endedAt: number | null = null
  let before: ReadEntry | 'call' | null = null
  // True if a call came after the last prompt; null before the first loaded prompt.
  let hasCalls: boolean | null = isFirstThere ? false : null
  for (const item of items) {
    const at = Date.parse(item.at)
    const read = item.entry === null ? null : readEntry(item.entry.entry)
    if (endedAt !== null && at - endedAt >= leastGapMs)
      rows.push({
        kind: 'gap',
        key: `gap ${item.ref}`,
        ms: at - endedAt,
        during: nameGap(before, read, item.kind),
      })
    if (read?.kind === 'prompt' && item.entry !== null) {
      // Items after an automatic prompt count towards the last prompt of a person.
      if (!read.isAutomatic)
        turns.push({ seq: item.entry.seq, at: item.at, text: read.text, costNano: 0, isWhole: false })
      hasCalls = false
    }
    if (read?.kind === 'answer' && hasCalls === false) rows.push({ kind: 'no-call', key: `none ${item.ref}` })
    rows.push({ kind: 'item', key: item.ref, item, read })
    if (item.call !== null) {
      hasCalls = true
      const turn = turns.at(-1)
      // A live call is not matched with the log yet; the server does not count it either.
      if (turn !== undefined && item.call.class !== null)
        turns[turns.length - 1] = { ...turn, costNano: turn.costNano + item.call.cost_nano }
    }
    endedAt = Math.max(endedAt ?? 0, item.call === null ? at : Date.parse(item.call.ended_at))
    before = read ?? 'call'
  }
  return {
    rows,
    turns: turns.map((turn, index) => ({ ...turn, isWhole: index < turns.length - 1 || isLastThere })),
  }
}

/** Names what happened during a gap, as far as the items before and after it show. */
function nameGap(before: ReadEntry | 'call' | null, after: ReadEntry | null, kind: string): string | null {
  if (after?.kind === 'prompt') return after.isAutomatic ? 'background task' : 'person away'
  if (before === null) return null
  if (before !== 'call' && before.kind === 'tool' && before.isStart) return 'tool running'
  if (kind === 'entry' && before !== 'call' && before.kind !== 'answer') return 'model working'
  return null
}
