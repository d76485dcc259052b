// What a hold was granted on is handed on: the upstream's own count where the ceiling did not fit, and nothing else.
import { expect, test } from 'bun:test'
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { buildKey, buildModel, buildTeam } from '../../limits/testing/build-parties.ts'
import { createAdmit } from './2-admit.ts'
import { translate } from './3-translate.ts'

const admit = createAdmit({
  limits: createMemoryLimits({ clock: () => 0 }),
  isLedgerHealthy: () => true,
  observeRefusal: () => undefined,
})
const plan = {
  model: buildModel(),
  endpoint: 'chat',
  tokens: { input: 100, output: 10 },
  estimate: { kind: 'fixed', cost: nanoDollars(2000) },
  refine: async () => ({ estimate: { kind: 'fixed', cost: nanoDollars(500) }, inputTokens: 7 }) as const,
  count: 1,
  askedOutput: 10,
  estimatedInput: 100,
} as const

test.each([
  ['the ceiling', 5000, 2000, null, 100],
  ['the count of the upstream', 1000, 500, 7, 7],
])('%s decides', async (_, budget, held, counted, estimatedInput) => {
  const caller = {
    team: buildTeam({ teamId: `team-${budget}`, maxBudget: nanoDollars(budget) }),
    key: buildKey(),
  }
  const admitted = await admit(caller, `call-${budget}`, plan)
  expect([Number(admitted.hold.amount), admitted.countedInput]).toEqual([held, counted])
  // A choice that ends before its usage is known is estimated from it.
  expect(translate(admitted, {} as ChatRequest, plan).admitted.estimatedInput).toBe(estimatedInput)
})
