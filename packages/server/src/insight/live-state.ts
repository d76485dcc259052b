// What readers of the stream may see, each thing once and at its newest: a reader is a place in the order of changes, and is sent what has
// changed since. Nothing waits for a slow reader, and none can take more memory than the things themselves.

/** A thing at its newest value. */
export type Change = {
  readonly topic: string
  /** Of the thing within its topic. */
  readonly name: string
  /** JSON; null when it is gone. */
  readonly text: string | null
  /** Its place in the order of changes. */
  readonly sequence: number
}

type Held = Change & { readonly at: number }

/** For so long a reader may come back to its place. */
export const keptMs = 300_000

export class LiveState {
  /** By topic and name, in the order of their last change. */
  readonly #things = new Map<string, Held>()
  #sequence = 0
  /** Readers whose place lies before may have missed that something is gone. */
  #forgottenThrough = 0

  get sequence(): number {
    return this.#sequence
  }

  /**
   * Replaces all things of a topic: what is new or has another text has changed, what is not named is gone. `now`: Unix ms. `isTold`: readers
   * are told of what is gone; else it is dropped, as the oldest lines of a list that goes on.
   */
  replace(topic: string, texts: ReadonlyMap<string, string>, now: number, isTold = true): void {
    for (const [key, held] of this.#things) {
      if (held.topic !== topic || held.text === null || texts.has(held.name)) continue
      if (isTold) this.#change(key, held, null, now)
      else this.#things.delete(key)
    }
    for (const [name, text] of texts) {
      const key = keyOf(topic, name)
      const held = this.#things.get(key)
      if (held?.text !== text) this.#change(key, { topic, name }, text, now)
    }
  }

  /** Forgets what has been gone for longer than a place is kept. */
  tidy(now: number): void {
    for (const [key, { at, text, sequence }] of this.#things) {
      if (text !== null || at > now - keptMs) continue
      this.#things.delete(key)
      this.#forgottenThrough = Math.max(this.#forgottenThrough, sequence)
    }
  }

  /** Drops a topic that nobody has read for longer than a place is kept. */
  drop(topic: string): void {
    for (const [key, held] of this.#things) {
      if (held.topic !== topic) continue
      this.#things.delete(key)
      this.#forgottenThrough = Math.max(this.#forgottenThrough, held.sequence)
    }
  }

  /** Whether a reader who has seen everything up to here can be told what has changed since. */
  knows(sequence: number): boolean {
    return sequence >= this.#forgottenThrough && sequence <= this.#sequence
  }

  /** What has changed in these topics behind a place, the oldest change first. */
  since(sequence: number, topics: ReadonlySet<string>): Change[] {
    const changes: Change[] = []
    for (const held of [...this.#things.values()].reverse()) {
      if (held.sequence <= sequence) break
      if (topics.has(held.topic)) changes.push(held)
    }
    return changes.reverse()
  }

  /** A thing that changes goes to the end. */
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
