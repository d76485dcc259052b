// Holds everything that readers of the stream may see, each thing once with its newest value. A reader is a place in the order of changes and is sent
// the changes since. Nothing waits for a slow reader, and none can take more memory than the things themselves.

/** A thing with its newest value. */
export type Change = {
  readonly topic: string
  /** The name of the thing within its topic. */
  readonly name: string
  /** JSON; null after it was removed. */
  readonly text: string | null
  /** Its place in the order of changes. */
  readonly sequence: number
}

type Held = Change & { readonly at: number }

/** How long a reader may come back to its place. */
export const keptMs = 300_000

export class LiveState {
  /** By topic and name, in the order of their last change. */
  readonly #things = new Map<string, Held>()
  #sequence = 0
  /** Readers with an earlier place may have missed a removal. */
  #forgottenThrough = 0

  get sequence(): number {
    return this.#sequence
  }

  /**
   * Replaces all things of a topic: those that are new or have another text have changed, those not listed are removed. `now`: Unix ms.
   * `isReported`: readers see removals; otherwise the things are dropped, as the oldest lines of a growing list.
   */
  replace(topic: string, texts: ReadonlyMap<string, string>, now: number, isReported = true): void {
    for (const [key, held] of this.#things) {
      if (held.topic !== topic || held.text === null || texts.has(held.name)) continue
      if (isReported) this.#change(key, held, null, now)
      else this.#things.delete(key)
    }
    for (const [name, text] of texts) {
      const key = keyOf(topic, name)
      const held = this.#things.get(key)
      if (held?.text !== text) this.#change(key, { topic, name }, text, now)
    }
  }

  /** Forgets things removed for longer than a place is kept. */
  tidy(now: number): void {
    for (const [key, { at, text, sequence }] of this.#things) {
      if (text !== null || at > now - keptMs) continue
      this.#things.delete(key)
      this.#forgottenThrough = Math.max(this.#forgottenThrough, sequence)
    }
  }

  /** Drops a topic that has not been read for longer than a place is kept. */
  drop(topic: string): void {
    for (const [key, held] of this.#things) {
      if (held.topic !== topic) continue
      this.#things.delete(key)
      this.#forgottenThrough = Math.max(this.#forgottenThrough, held.sequence)
    }
  }

  /** True if all changes since this place are known. */
  knows(sequence: number): boolean {
    return sequence >= this.#forgottenThrough && sequence <= this.#sequence
  }

  /** The changes in these topics after a place, oldest first. */
  since(sequence: number, topics: ReadonlySet<string>): Change[] {
    const changes: Change[] = []
    for (const held of [...this.#things.values()].reverse()) {
      if (held.sequence <= sequence) break
      if (topics.has(held.topic)) changes.push(held)
    }
    return changes.reverse()
  }

  /** A thing that changes moves to the end. */
  #change(
    key: string,
    { topic, name }: Pick<Change, 'topic' | 'name'>,
    text: string | null,
    at: number,
  ): void {
    this.#sequence += 1
    this.#things.delete(key)
    this.#things.set(key, { topic, name, text, sequence: this.#sequence, at })
  }
}

function keyOf(topic: string, name: string): string {
  return `${topic} ${name}`
}
