// Lists recorder numbers that are missing from a team's log or occur twice: a hint for people, not proof of anything.

/** What the entries of one clone say about their numbers. */
export type RecorderReport = {
  /** Id that the recorder created for the clone. */
  readonly id: string
  readonly entries: number
  readonly first: number
  readonly last: number
  /** Numbers between the first and the last that no entry has. */
  readonly missing: number
  /** Entries with a number that another entry also has. */
  readonly repeated: number
}

/** Numbers from `first` to `last`, all seen. */
type Run = { first: number; last: number }

type Clone = { entries: number; repeated: number; readonly runs: Run[] }

/** Teams may send any numbers. Clones beyond these bounds are left out. */
const maxClones = 1000
const maxRuns = 10_000

export class RecorderNumbers {
  readonly #clones = new Map<string, Clone | 'left out'>()

  /** `entry` as it was stored. Entries without a number are skipped. */
  see(entry: unknown): void {
    const mark = readMark(entry)
    if (mark === null) return
    let clone = this.#clones.get(mark.id)
    if (clone === undefined) {
      if (this.#clones.size >= maxClones) return
      clone = { entries: 0, repeated: 0, runs: [] }
      this.#clones.set(mark.id, clone)
    }
    if (clone === 'left out') return
    clone.entries += 1
    if (!addNumber(clone.runs, mark.n)) clone.repeated += 1
    if (clone.runs.length > maxRuns) this.#clones.set(mark.id, 'left out')
  }

  /** In the order in which the clones first appear. */
  report(): RecorderReport[] {
    return [...this.#clones].flatMap(([id, clone]) => {
      if (clone === 'left out') return []
      const { entries, repeated, runs } = clone
      const [first, last] = [runs[0]?.first ?? 0, runs.at(-1)?.last ?? 0]
      const missing = last - first + 1 - (entries - repeated)
      return [{ id, entries, first, last, missing, repeated }]
    })
  }
}

function readMark(entry: unknown): { readonly id: string; readonly n: number } | null {
  const mark = readMember(entry, 'recorder')
  const [id, n] = [readMember(mark, 'id'), readMember(mark, 'n')]
  if (typeof id !== 'string' || !/^[0-9a-f]{8}$/.test(id)) return null
  return typeof n === 'number' && Number.isSafeInteger(n) && n > 0 ? { id, n } : null
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

/** Keeps the runs separate and in order. Returns false if the number is already in one of them. */
function addNumber(runs: Run[], n: number): boolean {
  // Number of runs that begin at or before the number. Usually all of them.
  let low = 0
  let high = runs.length
  while (low < high) {
    const middle = high === runs.length ? high - 1 : (low + high) >> 1
    if ((runs[middle]?.first ?? 0) <= n) low = middle + 1
    else high = middle
  }
  const [before, after] = [runs[low - 1], runs[low]]
  if (before !== undefined && n <= before.last) return false
  const [follows, precedes] = [before?.last === n - 1, after?.first === n + 1]
  if (before !== undefined && follows) {
    before.last = precedes && after !== undefined ? after.last : n
    if (precedes) runs.splice(low, 1)
  } else if (after !== undefined && precedes) after.first = n
  else runs.splice(low, 0, { first: n, last: n })
  return true
}
