// Builds an admitted call with a hold of a given amount, for tests of its charge.
import { nanoDollars } from '../../../ledger/money.ts'
import type { Hold } from '../../../limits/port.ts'
import { buildKey, buildModel, buildTeam } from '../../../limits/testing/build-parties.ts'
import type { Admitted } from '../admitted.ts'

/** 20 tokens are reserved. A token of the model costs 1,000 nano-dollars as input, 4,000 as output. */
export function buildAdmitted(amount: number, changes: Partial<Admitted> = {}): Admitted {
  const model = buildModel({ contextLimit: 1000, maxOutput: 200 })
  const hold: Hold = {
    callId: 'call-1',
    teamId: 'team-1',
    keyHash: 'key-1',
    modelId: model.id,
    amount: nanoDollars(amount),
    outputCap: 10,
    reduced: false,
    periods: { team: 0, key: 0 },
    admittedAt: 0,
  }
  return {
    caller: { team: buildTeam(), key: buildKey() },
    callId: 'call-1',
    model,
    endpoint: 'chat',
    reservedTokens: 20,
    hold,
    countedInput: null,
    isRefined: false,
    basis: { medium: 'text', ratio: 1_000_000 },
    rates: { requests: null, tokens: null },
    ...changes,
  }
}
