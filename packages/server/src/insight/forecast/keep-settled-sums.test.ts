// Sums up to now are complete, regardless of what is cached, and only settled sums are cached.
import { beforeEach, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SpendSum, SumSpendInput } from '../../store/statements/spend-sums.ts'
import { keepSettledSums } from './keep-settled-sums.ts'

const minute = 60_000
const bucket = 5 * minute
const hour = 60 * minute

let now: number
let version: number
let asked: SumSpendInput[]
let charges: { teamId: string; at: number }[]
let sums: (input: SumSpendInput) => Promise<SpendSum[]>
beforeEach(() => {
  now = 1000 * hour + 7 * minute
  version = 1
  asked = []
  charges = [
    { teamId: 'red', at: now - 3 * hour },
    { teamId: 'red', at: now - minute },
    { teamId: 'blue', at: now - 2 * hour },
  ]
  sums = keepSettledSums({
    sumSpend: async input => {
      asked.push(input)
      return sumNow(input)
    },
    clock: () => now,
    version: () => version,
  })
})

async function sumNow({ from, until, by }: SumSpendInput): Promise<SpendSum[]> {
  const found = new Map<string, SpendSum>()
  for (const { teamId, at } of charges.filter(
    each => each.at >= (from ?? 0) && (until === null || each.at < until),
  )) {
    const bucketStart = by.includes('bucket_start') ? Math.floor(at / bucket) * bucket : null
    const name = `${bucketStart} ${teamId}`
    const known = found.get(name)
    found.set(name, {
      ...{ bucketStart, teamId, keyHash: null, modelId: null, code: null, refused: 0, cost: 10 },
      calls: (known?.calls ?? 0) + 1,
    })
  }
  return [...found.values()]
}

const all = { teamId: null, keyHash: null, modelId: null, until: null } as const
const callsByTeam = async () =>
  Object.fromEntries(
    (await sums({ ...all, from: now - 4 * hour, by: ['team_id'] })).map(({ teamId, calls }) => [
      teamId,
      calls,
    ]),
  )

test('a team with old and new calls has one sum', async () => {
  expect(await callsByTeam()).toEqual({ red: 2, blue: 1 })
})

test('each bucket is listed once', async () => {
  const found = await sums({ ...all, from: now - 4 * hour, by: ['bucket_start', 'team_id'] })
  expect(found).toHaveLength(3)
})

test('new calls count at once, and old ones are not summed again for half a minute', async () => {
  await callsByTeam()
  charges.push({ teamId: 'blue', at: now - 1 })
  now += 29_000
  asked = []
  expect(await callsByTeam()).toEqual({ red: 2, blue: 2 })
  expect(asked).toHaveLength(1)
  expect(now - (asked[0]?.from ?? 0)).toBeLessThan(21 * minute)
})

test('half a minute later old calls are summed again, but nobody waits for them', async () => {
  await callsByTeam()
  charges.push({ teamId: 'green', at: now - 2 * hour })
  now += 30_000
  asked = []
  expect(await callsByTeam()).toEqual({ red: 2, blue: 1 })
  expect(asked).toHaveLength(2)
  await new Promise(resolve => setImmediate(resolve))
  expect(await callsByTeam()).toEqual({ red: 2, blue: 1, green: 1 })
  expect(asked).toHaveLength(3)
})

test('when the range moves on by a bucket, nothing is summed again and its first bucket is left out', async () => {
  const byBucket = async (from: number) =>
    (await sums({ ...all, from, by: ['bucket_start', 'team_id'] })).map(({ teamId, calls }) => [
      teamId,
      calls,
    ])
  const first = Math.floor((now - 3 * hour) / bucket) * bucket
  expect(await byBucket(first)).toContainEqual(['red', 1])
  now += 10_000
  asked = []
  expect(await byBucket(first + bucket)).toEqual([
    ['blue', 1],
    ['red', 1],
  ])
  expect(asked).toHaveLength(1)
})

test.each([
  ['a minute later', () => (now += 60_000)],
  ['after a change of the directory', () => (version += 1)],
])('%s old calls are summed again', async (_, change) => {
  await callsByTeam()
  charges.push({ teamId: 'green', at: now - 2 * hour })
  change()
  expect(await callsByTeam()).toEqual({ red: 2, blue: 1, green: 1 })
})

// Fails if kept buckets from before the range stay in it, or if a kept sum is used past the point where calls may still arrive.
test('at any time and for any range, sums are those of all calls, if none comes more than ten minutes late', async () => {
  const step = fc.record({
    passMs: fc.integer({ min: 0, max: 20 * minute }),
    lateMs: fc.integer({ min: 0, max: 10 * minute }),
    hours: fc.integer({ min: 1, max: 5 }),
    by: fc.constantFrom(['team_id'] as const, ['bucket_start', 'team_id'] as const),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async steps => {
      const start = 1000 * hour
      now = start
      version += 1
      charges = Array.from({ length: 20 }, (_, index) => ({ teamId: 'red', at: start - index * 17 * minute }))
      for (const { passMs, lateMs, hours, by } of steps) {
        now += passMs
        charges.push({ teamId: 'blue', at: now - lateMs })
        const input = { ...all, from: Math.floor((now - hours * hour) / bucket) * bucket, by }
        const key = (sum: SpendSum) => `${sum.bucketStart} ${sum.teamId} ${sum.calls}`
        expect((await sums(input)).map(key).sort()).toEqual((await sumNow(input)).map(key).sort())
      }
    }),
  )
})

test('failures are not cached', async () => {
  let isBroken = true
  const breaking = keepSettledSums({
    sumSpend: async () => {
      if (isBroken) throw new Error('The database is away.')
      return []
    },
    clock: () => now,
    version: () => version,
  })
  const input = { ...all, from: now - 4 * hour, by: ['team_id'] } as const
  expect(breaking(input)).rejects.toThrow('away')
  await Promise.resolve()
  isBroken = false
  await new Promise(resolve => setImmediate(resolve))
  expect(await breaking(input)).toEqual([])
})

test('ranges with an end and short ranges are not cached', async () => {
  await sums({ ...all, from: now - 4 * hour, until: now, by: ['team_id'] })
  await sums({ ...all, from: now - 10 * minute, by: ['team_id'] })
  expect(asked).toHaveLength(2)
})
