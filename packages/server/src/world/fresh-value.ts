// What is read again when it has become old, by whoever asks first: however many ask, the database is asked now and then.

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

  /** `youngerThan`: milliseconds; for who needs it fresher than others do. */
  read(youngerThan = this.#freshMs): Promise<Value> {
    const last = this.#last
    const age = last === null ? youngerThan : this.#clock() - last.at
    return last !== null && age >= 0 && age < youngerThan ? last.value : this.renew()
  }

  /** However fresh it still is. */
  renew(): Promise<Value> {
    const reading = { at: this.#clock(), value: this.#read() }
    this.#last = reading
    // A failure is for those who ask now; the next one tries again.
    reading.value.catch(() => {
      if (this.#last === reading) this.#last = null
    })
    return reading.value
  }

  /** It has changed: the next one reads it again. */
  forget(): void {
    this.#last = null
  }
}
