// Counts the calls of this process by key: those that have entered and of which the database does not know yet, and those that are admitted.

export class ProcessSlots {
  /** Calls that have a slot and are not admitted yet, and the key of each. */
  readonly #entered = new Map<string, string>()
  /** Calls that are being decided: their ids are taken. */
  readonly #asking = new Set<string>()
  /** By key: calls that have entered, those of them that are not asked for yet, and those that are admitted. */
  readonly #enteredOf = new Map<string, number>()
  readonly #unaskedOf = new Map<string, number>()
  readonly #runningOf = new Map<string, number>()

  /** Calls that have entered. */
  get size(): number {
    return this.#entered.size
  }

  hasEntered(callId: string): boolean {
    return this.#entered.has(callId)
  }

  isAsking(callId: string): boolean {
    return this.#asking.has(callId)
  }

  /** Of this process, admitted or not. */
  countRunning(keyHash: string): number {
    return (this.#runningOf.get(keyHash) ?? 0) + (this.#enteredOf.get(keyHash) ?? 0)
  }

  /** Calls that have entered and are not asked for yet: the database does not know of them. */
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

  /** From now on the database counts it, among those of its batch that come before. */
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

  /** The slot of a call that has entered becomes that of an admitted one. */
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
