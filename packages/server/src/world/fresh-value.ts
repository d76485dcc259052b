// Caches a value and reads it again on demand once it is old, so the database is read only now and then, however many callers ask.

export class FreshValue<Value> {
  readonly #read: () => Promise<Value>
  readonly #clock: () => number
  readonly #freshMs: number
  #last: { readonly at: number; readonly value: Promise<Value> } | null = null

  /** `clock`: Unix ms. */
  constructor(read: () => Promise<Value>, clock: () => number, freshMs: number) {
    this.#read = read
    this.#clock = clock
    this.#freshMs = freshMs
  }

  /** `youngerThan`: milliseconds; for callers that need it fresher than others do. */
  read(youngerThan = this.#freshMs): Promise<Value> {
    const last = this.#last
    const age = last === null ? youngerThan : this.#clock() - last.at
    return last !== null && age >= 0 && age < youngerThan ? last.value : this.renew()
  }

  /** Reads it again, however fresh it is. */
  renew(): Promise<Value> {
    const reading = { at: this.#clock(), value: this.#read() }
    this.#last = reading
    // Only the current callers get the failure; the next one tries again.
    reading.value.catch(() => {
      if (this.#last === reading) this.#last = null
    })
    return reading.value
  }

  /** Marks the value as changed, so the next caller reads it again. */
  forget(): void {
    this.#last = null
  }
}
