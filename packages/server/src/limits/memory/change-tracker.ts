// Tracks which windows have changed since they were last written, so that only those are gathered.
import type { SavedMarks } from '../../ledger/request-window.ts'
import type { GatheredWindows, GatherScope, WindowContents } from '../windows/window-contents.ts'
import type { WindowState } from './owner-states.ts'

type Marked = { readonly saved: SavedMarks; readonly mark: number }

const nothing = { times: [], seconds: [], mark: 0 }

export class ChangeTracker {
  readonly #waiting: Record<GatherScope, WindowState[]> = { commit: [], second: [] }

  /** Called for every admission and settlement; usually just two flag checks. */
  note(state: WindowState): void {
    const { waits } = state
    if (waits.commit && waits.second) return
    if (state.requests === null && state.tokens === null) return
    this.#wait(state, 'commit')
    this.#wait(state, 'second')
  }

  /** Null if nothing has changed. */
  gather(scope: GatherScope, now: number): GatheredWindows | null {
    if (this.#waiting[scope].length === 0) return null
    const states = this.#take(scope)
    const windows: WindowContents[] = []
    const marks: Marked[] = []
    for (const { name, requests, tokens } of states) {
      const { times, mark } = requests?.since(requests.saved[scope], now) ?? nothing
      if (requests !== null) marks.push({ saved: requests.saved, mark })
      const { seconds, mark: tokenMark } = tokens?.since(tokens.saved[scope], now) ?? nothing
      if (tokens !== null) marks.push({ saved: tokens.saved, mark: tokenMark })
      if (times.length + seconds.length > 0) windows.push({ name, times, seconds })
    }
    if (windows.length === 0) return null
    return {
      at: now,
      windows,
      written: () => {
        for (const { saved, mark } of marks) {
          saved.commit = mark
          if (scope === 'second') saved.second = mark
        }
      },
      failed: () => {
        for (const state of states) this.note(state)
      },
    }
  }

  #wait(state: WindowState, scope: GatherScope): void {
    if (state.waits[scope]) return
    state.waits[scope] = true
    this.#waiting[scope].push(state)
  }

  /** A commit need not write again what the row of a second has. */
  #take(scope: GatherScope): WindowState[] {
    const taken = this.#waiting[scope]
    for (const each of scope === 'second' ? (['commit', 'second'] as const) : (['commit'] as const)) {
      for (const { waits } of this.#waiting[each]) waits[each] = false
      this.#waiting[each] = []
    }
    return taken
  }
}
