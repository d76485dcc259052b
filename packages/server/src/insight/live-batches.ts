// Keeps the newest batches of a growing list's topics, for readers who come back to their place.

const keptBatches = 10
/** If a topic has not been read for this long, items from that time are not news. */
const idleMs = 15_000

type Reported<Seen> = {
  readonly seen: Seen
  readonly batch: number
  readonly readAt: number
  readonly texts: ReadonlyMap<string, string>
}

/** `Seen`: the result of a look, for the next one to compare. Times in Unix ms. */
export class LiveBatches<Seen> {
  /** By team; null for all. */
  readonly #reported = new Map<string | null, Reported<Seen>>()

  /** Null if a reader is the first. */
  last(teamId: string | null, now: number): Seen | null {
    const reported = this.#reported.get(teamId)
    return reported === undefined || now - reported.readAt > idleMs ? null : reported.seen
  }

  /** Nothing new. Returns number of a batch → its JSON, for the newest ones. */
  repeat(teamId: string | null, now: number): ReadonlyMap<string, string> {
    const reported = this.#reported.get(teamId)
    if (reported !== undefined) this.#reported.set(teamId, { ...reported, readAt: now })
    return reported?.texts ?? new Map()
  }

  /** The same, with one more batch. `items`: empty if there are too many to read. */
  add(
    teamId: string | null,
    now: number,
    seen: Seen,
    { count, items }: { readonly count: number; readonly items: readonly object[] },
  ): ReadonlyMap<string, string> {
    const reported = this.#reported.get(teamId)
    const batch = (reported?.batch ?? 0) + 1
    const before = this.last(teamId, now) === null ? [] : [...(reported?.texts ?? [])].slice(1 - keptBatches)
    const texts = new Map([...before, [String(batch), JSON.stringify({ batch, count, items })]])
    this.#reported.set(teamId, { seen, batch, readAt: now, texts })
    for (const [id, { readAt }] of this.#reported) if (now - readAt > 20 * idleMs) this.#reported.delete(id)
    return texts
  }
}
