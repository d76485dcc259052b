// Slows the replies to wrong credentials, per address and in total. Its memory is bounded, and a valid credential is never delayed:
// hundreds of participants may share one address. Keys, tickets and links have 256 random bits; decision 037 has the figures for codes.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { nameNetwork } from './client-address.ts'

export type FailedAuthThrottleDependencies = {
  /** Unix ms. */
  readonly clock: () => number
  /** Resolves after so many milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>
}

/** Resolves when a wrong credential from this address may be answered. */
export type SlowFailure = (address: string | null) => Promise<void>

const windowMs = 60_000
const freeFailures = 20
/** From all addresses together: guesses from a thousand addresses find no free failures. */
const freeFailuresOverAll = 200
const stepMs = 100
const maximumDelayMs = 2000
const maximumAddresses = 10_000

type Count = { count: number; readonly since: number }

/**
 * Counts a failure and resolves when it may be answered: at once for the first 20 of an address in a minute (the first 200 in total),
 * then 100 ms later for each further one, up to 2 s.
 */
export function createFailedAuthThrottle({ clock, wait }: FailedAuthThrottleDependencies): SlowFailure {
  const failures = new Map<string, Count>()
  let all: Count | undefined
  const countOn = (known: Count | undefined): Count => {
    const now = clock()
    const entry = known !== undefined && now - known.since < windowMs ? known : { count: 0, since: now }
    entry.count += 1
    return entry
  }
  return async address => {
    const name = nameNetwork(address)
    const own = countOn(failures.get(name))
    all = countOn(all)
    // Moves it to the end of the map, so that the first entry is the address that has been quiet for longest.
    failures.delete(name)
    failures.set(name, own)
    const [first = name] = failures.keys()
    if (failures.size > maximumAddresses) failures.delete(first)
    const excess = Math.max(own.count - freeFailures, all.count - freeFailuresOverAll)
    const delay = Math.min(maximumDelayMs, excess * stepMs)
    if (delay > 0) await wait(delay)
  }
}

/** True if a refusal means that a key, token, cookie, code, ticket or link is wrong. */
export function isFailedCredential(refusal: unknown): boolean {
  if (!(refusal instanceof ApiError)) return false
  const { status, code, param } = refusal
  // With a parameter it is an organiser naming a link by its id.
  return status === 401 || code === 'join_not_found' || (code === 'wall_token_not_found' && param === null)
}
