// A call that is many upstream calls: so many at a time, results in order, and no more once one has failed.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { buildCall } from '../../http/testing/build-call.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { buildKey, buildModel, buildTeam } from '../../limits/testing/build-parties.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import { planUnits } from './admit.ts'
import { createPaidCall } from './paid-call.ts'
import { createFaultWorld } from './testing/fault-world.ts'

const model = buildModel({ price: { tiers: [{ aboveInputTokens: 0, rates: { image: 1_000_000 } }] } })
const caller = { team: buildTeam({ maxBudget: nanoDollars(1_000_000_000) }), key: buildKey() }

/** `asked`: the upstream calls in the order in which they were started, each answered when the test says so. */
function setUp() {
  const world = createFaultWorld(null, false)
  const asked: PromiseWithResolvers<number>[] = []
  const answer = createPaidCall(world.dependencies)(caller, buildCall({ body: null }), {
    plan: planUnits(model, 'images', { image: 5 }),
    translate: () => [0, 1, 2, 3, 4],
    atOnce: 2,
    ask: async () => {
      const upstreamCall = Promise.withResolvers<number>()
      asked.push(upstreamCall)
      return { said: await upstreamCall.promise, usage: { kind: 'counted', units: { image: 1 } } as const }
    },
    failPartly: (failure, answered) => new ApiError(failure.code, { message: `${answered.length} answered` }),
    respond: results => Response.json(results.map(({ said }) => said)),
  })
  return { world, asked, answer }
}

test('results keep the order of the requests', async () => {
  const { world, asked, answer } = setUp()
  await world.turn()
  expect(asked.length).toBe(2)
  for (const index of [1, 2, 0, 4, 3]) {
    asked[index]?.resolve(index)
    await world.turn()
  }
  expect(await (await answer).json()).toEqual([0, 1, 2, 3, 4])
  expect(world.charges.map(({ cost }) => Number(cost))).toEqual([5])
})

test('after a failure no call is started, and those that were answered are charged', async () => {
  const { world, asked, answer } = setUp()
  await world.turn()
  asked[0]?.resolve(0)
  await world.turn()
  asked[1]?.reject(new ApiError('upstream_error'))
  await world.turn()
  expect(asked.length).toBe(3)
  asked[2]?.resolve(2)
  expect(await failureOf(answer)).toMatchObject({ code: 'upstream_error', message: '2 answered' })
  expect(world.charges.map(({ cost }) => Number(cost))).toEqual([2])
})
