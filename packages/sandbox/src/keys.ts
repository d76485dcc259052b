// Stores the upstream keys that the sandbox accepts, and the state set for each: revoked, quota used up, or too busy.
import { invalidKeyError, retryInfo, VendorError } from './vendor-error.ts'

export const keyStates = ['valid', 'revoked', 'exhausted', 'busy'] as const

export type KeyState = (typeof keyStates)[number]

export class SandboxKeys {
  readonly #states: Map<string, KeyState>

  constructor(keys: readonly string[]) {
    this.#states = new Map(keys.map(key => [key, 'valid']))
  }

  /** Adds a key that was unknown. */
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

  /** Throws VendorError for an unknown key and for one that is set to fail. */
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
