// The upstream keys that the sandbox knows, and what it can be told to say of each: revoked, its quota used up, or too busy.
import { invalidKeyError, retryInfo, VendorError } from './vendor-error.ts'

export const keyStates = ['valid', 'revoked', 'exhausted', 'busy'] as const

export type KeyState = (typeof keyStates)[number]

export class SandboxKeys {
  readonly #states: Map<string, KeyState>

  constructor(keys: readonly string[]) {
    this.#states = new Map(keys.map(key => [key, 'valid']))
  }

  /** A key that was not known becomes so. */
  set(key: string, state: KeyState): void {
    this.#states.set(key, state)
  }

  /** Throws an Error that names the member at fault. `states`: key → state. */
  setAll(states: unknown): Readonly<Record<string, KeyState>> {
    if (typeof states !== 'object' || states === null || Array.isArray(states))
      throw new Error('Send an object: {"<key>": "revoked"}.')
    for (const [key, state] of Object.entries(states)) {
      const known = keyStates.find(name => name === state)
      if (known === undefined)
        throw new Error(`${key}: ${JSON.stringify(state)} is none of ${keyStates.join(', ')}.`)
      this.set(key, known)
    }
    return Object.fromEntries(this.#states)
  }

  /** Throws VendorError for a key that is not known, and for one that is told to fail. */
  check(key: string): void {
    switch (this.#states.get(key)) {
      case 'valid':
        return
      case 'revoked':
        throw new VendorError(403, 'Your API key was reported as leaked. Please use another API key.')
      case 'exhausted':
        throw new VendorError(429, undefined, [quotaFailure('GenerateRequestsPerDayPerProjectPerModel')])
      case 'busy':
        throw new VendorError(429, undefined, [
          quotaFailure('GenerateRequestsPerMinutePerProjectPerModel'),
          retryInfo('31s'),
        ])
      case undefined:
        throw invalidKeyError()
    }
  }
}

function quotaFailure(quotaId: string): object {
  return { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] }
}
