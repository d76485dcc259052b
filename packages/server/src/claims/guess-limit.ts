// Slows the guessing of codes and tickets, per address and over all, in bounded memory. Only what could be a code and is none counts as a
// guess: who mistypes fails the check character and is never held up.
import { isIP } from 'node:net'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'

const windowMs = 60_000
/** Guesses of one address in a minute. */
const mostPerAddress = 10
/** Guesses of all in a minute; beyond them an address that has guessed wrongly in this minute gets no further guess. */
const mostOverAll = 200
const mostAddresses = 10_000

type Count = { count: number; since: number }

export class GuessLimit {
  readonly #clock: () => number
  readonly #what: string
  readonly #addresses = new Map<string, Count>()
  #all: Count = { count: 0, since: 0 }

  /** `clock` in Unix ms. `what`: what is guessed, for the message. */
  constructor(clock: () => number, what = 'codes') {
    this.#clock = clock
    this.#what = what
  }

  /** Throws ApiError `too_many_guesses` (429). */
  check(address: string | null): void {
    const own = this.#current(this.#addresses.get(nameOf(address)))
    const all = this.#current(this.#all)
    const most = all.count >= mostOverAll ? 1 : mostPerAddress
    if (own.count < most) return
    const seconds = Math.max(1, Math.ceil((own.since + windowMs - this.#clock()) / 1000))
    throw new ApiError('too_many_guesses', {
      message: `Too many wrong ${this.#what} from your address. Try again in ${seconds} s, or ask the organisers.`,
      headers: { 'retry-after': String(seconds) },
    })
  }

  noteWrong(address: string | null): void {
    const name = nameOf(address)
    const own = this.#current(this.#addresses.get(name))
    own.count += 1
    // It moves to the end of the map: the first one is the address that has been quiet for longest.
    this.#addresses.delete(name)
    this.#addresses.set(name, own)
    if (this.#addresses.size > mostAddresses) {
      const [first] = this.#addresses.keys()
      if (first !== undefined) this.#addresses.delete(first)
    }
    this.#all = this.#current(this.#all)
    this.#all.count += 1
  }

  #current(count: Count | undefined): Count {
    const now = this.#clock()
    return count !== undefined && now - count.since < windowMs ? count : { count: 0, since: now }
  }
}

/** Whoever has an IPv6 address has a whole network of 2⁶⁴ of them. */
function nameOf(address: string | null): string {
  if (address === null) return 'unknown'
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after]
    .slice(0, 4)
    .map(part => part.replace(/^0+(?=.)/, ''))
    .join(':')
}
