// Knows which windows have changed since they were written down, so that only those are gathered.
import type { GatheredWindows, GatherScope, WindowContents } from '../windows/window-contents.ts'
import type { WindowState } from './owner-states.ts'

export type ChangeTracker = {
  /** Called for every admission and settlement: two looks at a flag, mostly. */
  readonly note: (state: WindowState) => void
  /** Null when nothing has changed. */
  readonly gather: (scope: GatherScope, now: number) => GatheredWindows | null
}

export function createChangeTracker(): ChangeTracker {
  const waiting: Record<GatherScope, WindowState[]> = { commit: [], second: [] }

  const note = (state: WindowState) => {
    const { waits } = state
    if (waits.commit && waits.second) return
    if (state.requests === null && state.tokens === null) return
    for (const scope of ['commit', 'second'] as const) {
      if (waits[scope]) continue
      waits[scope] = true
      waiting[scope].push(state)
    }
  }

  /** What a second's row has, no commit need write once more. */
  const take = (scope: GatherScope): WindowState[] => {
    const taken = waiting[scope]
    for (const each of scope === 'second' ? (['commit', 'second'] as const) : (['commit'] as const)) {
      for (const { waits } of waiting[each]) waits[each] = false
      waiting[each] = []
    }
    return taken
  }

  return {
    note,
    gather: (scope, now) => {
      if (waiting[scope].length === 0) return null
      const states = take(scope)
      const windows: WindowContents[] = []
      const marks: (() => void)[] = []
      for (const { name, requests, tokens } of states) {
        const added = requests?.since(requests.saved[scope], now)
        const changed = tokens?.since(tokens.saved[scope], now)
        if (requests !== null && added !== undefined) marks.push(() => save(requests, scope, added.mark))
        if (tokens !== null && changed !== undefined) marks.push(() => save(tokens, scope, changed.mark))
        const [times, seconds] = [added?.times ?? [], changed?.seconds ?? []]
        if (times.length + seconds.length > 0) windows.push({ name, times, seconds })
      }
      if (windows.length === 0) return null
      return {
        at: now,
        windows,
        written: () => {
          for (const mark of marks) mark()
        },
        failed: () => {
          for (const state of states) note(state)
        },
      }
    },
  }
}

function save({ saved }: { readonly saved: Record<GatherScope, number> }, scope: GatherScope, mark: number) {
  saved.commit = mark
  if (scope === 'second') saved.second = mark
}
