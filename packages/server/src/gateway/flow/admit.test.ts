// The basis of a hold is passed on: the upstream's own count if the ceiling did not fit, and nothing else.
import { expect, test } from 'bun:test'
import { emptyEvent } from '../../directory/event/event.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { FairLines } from '../../limits/fair/fair-lines.ts'
import { createMemoryLimits } from '../../limits/memory/create-memory-limits.ts'
import { buildKey, buildModel, buildTeam } from '../../limits/testing/build-parties.ts'
import { admit } from './admit.ts'
import { meterInterrupted } from './meter.ts'

const dependencies = {
  limits: createMemoryLimits({ clock: () => 0 }),
  isLedgerHealthy: () => true,
  clock: () => 0,
  event: () => emptyEvent,
  observeRefusal: () => undefined,
}
const plan = {
  model: buildModel(),
  endpoint: 'chat',
  tokens: { input: 100, output: 10 },
  estimate: { kind: 'fixed', cost: nanoDollars(200_000) },
  refine: async () => ({ estimate: { kind: 'fixed', cost: nanoDollars(50_000) }, inputTokens: 7 }) as const,
} as const

test.each([
  ['the ceiling', 500_000, 200_000, null, 100],
  ['the count of the upstream', 100_000, 50_000, 7, 7],
])('%s decides', async (_, budget, held, counted, estimatedInput) => {
  const caller = {
    team: buildTeam({ teamId: `team-${budget}`, maxBudget: nanoDollars(budget) }),
    key: buildKey(),
  }
  const admitted = await admit(dependencies, { caller, callId: `call-${budget}`, plan })
  expect([Number(admitted.hold.amount), admitted.countedInput]).toEqual([held, counted])
  // A choice that ends before its usage is known is estimated from it.
  const expected = { estimatedInput: 100, outputCap: 10 }
  const { units } = meterInterrupted(admitted, expected, [{ usage: null, characters: 0 }])
  expect(units.inputText).toBe(estimatedInput)
})

test.each([
  ['absent', undefined, false],
  ['in vain', async () => false, false],
  ['worth it', async () => true, true],
])(
  'a ledger that cannot be written refuses, unless waiting helps: %s',
  async (_, awaitLedgerHealth, isAdmitted) => {
    const limits = createMemoryLimits({ clock: () => 0 })
    const health = {
      isLedgerHealthy: () => false,
      ...(awaitLedgerHealth === undefined ? {} : { awaitLedgerHealth }),
    }
    const caller = { team: buildTeam({ teamId: 'red' }), key: buildKey() }
    const code = await Promise.resolve(
      admit({ ...dependencies, ...health, limits }, { caller, callId: 'call', plan }),
    ).then(
      () => 'admitted',
      (error: { code: string }) => error.code,
    )
    expect(code).toBe(isAdmitted ? 'admitted' : 'unavailable')
    expect(limits.totals().slots).toBe(isAdmitted ? 1 : 0)
  },
)

// Shown to fail with a queue that asks the limits for a call as it was on arrival: it is admitted after the end.
test.each([
  ['paused', { paused: { since: 3000, reason: '' } }, 'event_paused'],
  ['ended', { ended: { at: 3000, entriesUntil: 3000, reason: '' } }, 'contest_closed'],
  ['as before', {}, 'admitted'],
])('a call that waits while the event is %s is decided by the state at its turn', async (_, change, code) => {
  let [now, event] = [0, emptyEvent]
  const clock = () => now
  let timers: { readonly at: number; readonly run: () => void }[] = []
  const after = (milliseconds: number, run: () => void) => {
    const timer = { at: now + milliseconds, run }
    timers.push(timer)
    return () => {
      timers = timers.filter(each => each !== timer)
    }
  }
  const limits = createMemoryLimits({ clock })
  const fairLines = new FairLines({ admit: limits.admit, clock, after })
  const asked = { ...dependencies, limits, fairLines, clock, event: () => event }
  const scarce = { ...plan, model: buildModel({ rpmLimit: 1 }) }
  const ask = (teamId: string) => {
    const caller = { team: buildTeam({ teamId }), key: buildKey({ teamId, keyHash: teamId }) }
    const patience = { waitMs: 5000, signal: () => new AbortController().signal }
    return Promise.resolve(
      admit(asked, { caller, callId: `call of ${teamId}`, plan: scarce, patience }),
    ).then(
      () => 'admitted',
      (error: { code: string }) => error.code,
    )
  }
  expect(await ask('first')).toBe('admitted')
  now = 57_000
  const waiting = ask('second')
  event = { ...emptyEvent, ...change }
  now = 60_000
  for (const { at, run } of [...timers]) if (at <= now) run()
  expect(await waiting).toBe(code)
  expect(limits.totals().slots).toBe(code === 'admitted' ? 2 : 1)
})
