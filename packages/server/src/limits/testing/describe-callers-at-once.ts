// The contract of every limits engine for concurrent callers, in any order of their steps.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nanoDollars } from '../../ledger/money.ts'
import { buildKey, buildRequest, buildTeam } from './build-parties.ts'
import { readSpendOf } from './look-at.ts'
import { paying, type Suite, team } from './set-up-engine.ts'

/**
 * After every third step an engine that waits for another machine makes progress: callers meet halfway through a decision, and hold what
 * they have.
 */
function createPause(): (step: () => Promise<void>) => Promise<void> {
  let steps = 0
  return async step => {
    await step()
    steps += 1
    if (steps % 3 === 0) await new Promise<void>(resolve => setImmediate(resolve))
  }
}

/** Declares these tests within the suite of an engine. */
export function describeCallersAtOnce({ isShared, setUp }: Suite): void {
  // Shown to fail on engines that check first and take later, in `enter` (more run than there are slots) or in `admit` (more are admitted).
  test('concurrent callers: in any order of steps, no limit is exceeded and nothing stays held', async () => {
    const outcomes = fc.constantFrom('settle', 'settle', 'release', 'leave')
    const callers = fc.array(fc.record({ isSlow: fc.boolean(), ends: outcomes }), {
      minLength: 10,
      maxLength: 16,
    })
    await fc.assert(
      fc.asyncProperty(fc.scheduler({ act: createPause() }), callers, async (scheduler, plans) => {
        const { limits, charge } = await setUp()
        const owners = {
          team: buildTeam({ maxBudget: nanoDollars(500), rpmLimit: 6, tpmLimit: 70 }),
          key: buildKey({ maxParallelRequests: 3 }),
        }
        const tokens = { input: 4, output: 6 }
        const refusals = new Set<string>()
        let [running, maxRunning, admitted, paid] = [0, 0, 0, 0]
        const call = async (plan: (typeof plans)[number], index: number) => {
          const request = buildRequest({ ...owners, tokens, ...paying(100), callId: `call ${index}` })
          // Yields to the scheduler before each step, so that others come in between.
          const turn = () => scheduler.schedule(Promise.resolve())
          await turn()
          const early = await limits.enter(request)
          if (early !== null) return refusals.add(early.refusal.code)
          running += 1
          maxRunning = Math.max(maxRunning, running)
          await turn()
          const decision = plan.ends === 'leave' ? null : await limits.admit(request)
          if (decision?.admitted === false) refusals.add(decision.refusal.code)
          if (plan.isSlow) await turn()
          // Counted as ended before its slot can be free.
          running -= 1
          if (decision?.admitted) {
            admitted += 1
            if (plan.ends === 'release') await limits.release(decision.hold)
            else {
              paid += 100
              await charge(decision.hold, { cost: nanoDollars(100), tokens: 10 })
            }
          }
          await turn()
          await limits.leave(request.callId)
          return undefined
        }
        await scheduler.waitFor(Promise.all(plans.map(call)))
        expect(maxRunning).toBeLessThanOrEqual(3)
        expect(admitted).toBeLessThanOrEqual(6)
        expect(paid).toBeLessThanOrEqual(500)
        expect(await limits.totals()).toEqual({ heldNanoDollars: 0, holds: 0, slots: 0 })
        expect<unknown>(await readSpendOf(limits, team, 0)).toEqual({ spent: paid, held: 0 })
        // Without any refusal every caller that asked was let in.
        const asked = plans.filter(({ ends }) => ends !== 'leave').length
        if (refusals.size === 0) expect(admitted).toBe(asked)
      }),
      { numRuns: isShared ? 30 : 200 },
    )
  })
}
