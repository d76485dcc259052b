// Counts the calls of this process by key: those that have entered but are unknown to the database, and those that are admitted.

export class ProcessSlots {
  /** Key of each call that has a slot but is not admitted yet. */
  readonly #entered = new Map<string, string>()
  /** Ids of calls that are being decided, and so are taken. */
  readonly #asking = new Set<string>()
  /** By key: calls that have entered, those of them not sent to the database yet, and those that are admitted. */
  readonly #enteredOf = new Map<string, number>()
  readonly #unaskedOf = new Map<string, number>()
  readonly #runningOf = new Map<string, number>()

  /** Number of calls that have entered. */
  get size(): number {
    return this.#entered.size
  }

  hasEntered(callId: string): boolean {
    return this.#entered.has(callId)
  }

  isAsking(callId: string): boolean {
    return this.#asking.has(callId)
  }

  /** Calls of this process, admitted or not. */
  countRunning(keyHash: string): number {
    return (this.#runningOf.get(keyHash) ?? 0) + (this.#enteredOf.get(keyHash) ?? 0)
  }

  /** Calls that have entered but were not sent to the database yet, so it does not know of them. */
  countUnasked(keyHash: string): number {
    return this.#unaskedOf.get(keyHash) ?? 0
  }

  enter(callId: string, keyHash: string): void {
    this.#entered.set(callId, keyHash)
    add(this.#enteredOf, keyHash, 1)
    add(this.#unaskedOf, keyHash, 1)
  }

  leave(callId: string): void {
    const keyHash = this.#entered.get(callId)
    if (keyHash === undefined) return
    this.#entered.delete(callId)
    add(this.#enteredOf, keyHash, -1)
    if (!this.#asking.has(callId)) add(this.#unaskedOf, keyHash, -1)
  }

  /** From here on the database counts the call, after those that come before it in its batch. */
  beginAsking(callId: string): void {
    this.#asking.add(callId)
    const keyHash = this.#entered.get(callId)
    if (keyHash !== undefined) add(this.#unaskedOf, keyHash, -1)
  }

  endAsking(callId: string): void {
    this.#asking.delete(callId)
    const keyHash = this.#entered.get(callId)
    if (keyHash !== undefined) add(this.#unaskedOf, keyHash, 1)
  }

  /** Turns the slot of an entered call into that of an admitted one. */
  begin(callId: string, keyHash: string): void {
    this.leave(callId)
    add(this.#runningOf, keyHash, 1)
  }

  end(keyHash: string): void {
    add(this.#runningOf, keyHash, -1)
  }
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}
