// suite: test on postgres; 23 s
// The limits of several processes on a real PostgreSQL: the contract of every engine, and what only these can do.
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type NanoDollars, nanoDollars } from '../../ledger/money.ts'
import { buildSettlement, settleText } from '../../store/statements/settle-shared.ts'
import { buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { findTestPostgres } from '../../store/testing/create-test-postgres.ts'
import { failureOf } from '../../store/testing/failure-of.ts'
import type { Decision, Hold, OwnerRef } from '../port.ts'
import {
  buildKey,
  buildModel,
  buildRequest,
  buildTeam,
  type RequestChanges,
} from '../testing/build-parties.ts'
import {
  buildSharedLimits,
  connectToAdmit,
  registerProcess,
  TestConnection,
} from '../testing/build-shared-limits.ts'
import { openSharedTestDatabase, type SharedTestDatabase } from '../testing/create-shared-engine.ts'
import { describeLimits } from '../testing/describe-limits.ts'
import type { EngineProcess } from '../testing/engine.ts'
import { buildLook, readLook, readSpendOf } from '../testing/look-at.ts'
import { tidyStates } from './read-windows.ts'

const server = findTestPostgres()

// A busy machine needs long for the thousands of questions of a random history.
setDefaultTimeout(300_000)

if (server === null) {
  describe('limits shared through PostgreSQL', () => {
    test.skip('SKIPPED: TEST_POSTGRES_URL names no server', () => undefined)
  })
} else {
  const database = await openSharedTestDatabase(server, { processes: 2 })
  afterAll(database.close)
  describeLimits('the limits in PostgreSQL', 'database', database.createEngine)
  describeSharedLimits(database)
}

function holdOf(decision: Decision): Hold {
  if (!decision.admitted) throw new Error(`Refused: ${decision.refusal.code}`)
  return decision.hold
}

function paying(cost: number): { estimate: { kind: 'fixed'; cost: NanoDollars } } {
  return { estimate: { kind: 'fixed', cost: nanoDollars(cost) } }
}

function describeSharedLimits(database: SharedTestDatabase): void {
  const team: OwnerRef = { kind: 'team', teamId: 'team-1' }
  const send = database.intercept
  afterEach(() => {
    database.intercept = send
  })
  const report = (text: string, ...values: unknown[]) => database.run({ name: '', text, values })

  async function setUp(start = 1_000_000) {
    const time = { now: start }
    const engine = await database.createEngine(time)
    const second = engine.processes[1]
    if (second === undefined) throw new Error('The engine has two processes.')
    const admit = async (changes: RequestChanges = {}, process: EngineProcess = engine.processes[0]) =>
      process.limits.admit(buildRequest(changes))
    const running = async ({ limits }: EngineProcess, key = buildKey()) =>
      readLook(await limits.admit(buildLook(buildTeam(), key))).running
    /** Until a call is not refused for what the database is about. */
    const admitWhenReady = async (
      changes: RequestChanges,
      process = engine.processes[0],
    ): Promise<Decision> => {
      for (;;) {
        try {
          return await admit(changes, process)
        } catch (error) {
          if ((error as ApiError).code !== 'unavailable') throw error
          await Bun.sleep(20)
        }
      }
    }
    return { time, engine, first: engine.processes[0], second, admit, running, admitWhenReady }
  }

  const small = {
    team: buildTeam({ maxBudget: nanoDollars(100), tpmLimit: 100, rpmLimit: 100 }),
    key: buildKey(),
  }

  describe('an admission whose answer is lost', () => {
    // Shown to fail if the calls of a batch without an answer are not ended by the next one.
    test('is refused with 503, and what it has taken is given back', async () => {
      const { first, second, admit, running, admitWhenReady } = await setUp()
      let isLost = false
      database.intercept = async (process, send, text) => {
        const rows = await send()
        if (process !== 0 || isLost || !text.includes('admit_')) return rows
        isLost = true
        throw new Error('Connection terminated')
      }
      const failure = await failureOf(admit({ ...small, ...paying(100), tokens: { input: 100, output: 0 } }))
      expect(failure).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '2' } })
      expect(isLost).toBe(true)
      expect(await first.limits.totals()).toEqual({ heldNanoDollars: 0, holds: 0, slots: 0 })
      holdOf(await admitWhenReady({ ...small, ...paying(0) }))
      expect(await running(second)).toBe(1)
      expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 0, held: 0 })
      holdOf(await admit({ ...small, ...paying(100) }, second))
    })

    test('that never reached the database takes nothing, and calls for information run all the same', async () => {
      const { first, second, admit, running, admitWhenReady } = await setUp()
      let isAway = true
      database.intercept = (process, send) =>
        isAway && process === 0 ? Promise.reject(new Error('Connection terminated')) : send()
      expect(await failureOf(admit(small))).toMatchObject({ code: 'unavailable' })
      const info = { ...small, model: null, countsRequest: false, estimate: { kind: 'none' } } as const
      const holds = [holdOf(await admit(info))]
      expect((await first.limits.totals()).slots).toBe(1)
      expect(await admit({ ...info, key: buildKey({ maxParallelRequests: 1 }) })).toMatchObject({
        refusal: { code: 'parallel_exceeded', used: 1 },
      })
      isAway = false
      for (const hold of holds) await first.limits.release(hold)
      holdOf(await admitWhenReady(small))
      expect(await running(second)).toBe(1)
    })
  })

  describe('a process without a lease', () => {
    // Shown to fail without the condition on `lease_until` in admit_2.
    test('is not admitted anything', async () => {
      const { first, admit, admitWhenReady } = await setUp()
      await report('update processes set lease_until = 0 where slot = 0')
      expect(await failureOf(admit(small))).toMatchObject({ code: 'unavailable' })
      expect(await report('select count(*)::int from running_calls')).toEqual([[0]])
      await report('update processes set lease_until = 9000000000000000 where slot = 0')
      await first.limits.release(holdOf(await admitWhenReady(small)))
    })
  })

  describe('after a crash of the database', () => {
    /** It forgets the last admissions, which did not wait for the disk, and `limits_epoch`, which is not logged. */
    const crash = async () => {
      await report('truncate limits_epoch, limit_states, running_calls')
    }

    // Shown to fail if a process does not announce (the forgotten calls are not counted), or if the epoch is not asked for.
    test('nothing is admitted until every process has told what it runs; then all of it counts again', async () => {
      const { first, second, admit, admitWhenReady, running } = await setUp()
      const tight = { ...small, key: buildKey({ maxParallelRequests: 3 }) }
      const one = holdOf(await admit({ ...tight, ...paying(40), tokens: { input: 30, output: 0 } }))
      const two = holdOf(await admit({ ...tight, ...paying(50), tokens: { input: 30, output: 0 } }, second))
      await first.limits.release(holdOf(await admit({ ...tight, ...paying(1) })))
      await crash()
      expect(await failureOf(admit(tight))).toMatchObject({
        code: 'unavailable',
        headers: { 'retry-after': '1' },
      })
      // The second process lives, and has not spoken yet: nothing may be admitted.
      await Bun.sleep(300)
      expect(await failureOf(admit(tight))).toMatchObject({ code: 'unavailable' })
      expect(await failureOf(admit(tight, second))).toMatchObject({ code: 'unavailable' })
      const three = holdOf(await admitWhenReady({ ...tight, ...paying(10) }))
      expect(await running(first)).toBe(3)
      expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 0, held: 100 })
      expect(
        await admitWhenReady({ ...tight, key: buildKey({ keyHash: 'other' }), ...paying(1) }, second),
      ).toMatchObject({
        refusal: { code: 'budget_held', used: 0, held: 100 },
      })
      const look = readLook(await second.limits.admit(buildLook(small.team, small.key)))
      // Two that run, the one that was released, and the new one.
      expect(look.rates).toMatchObject({ requests: { remaining: 96 }, tokens: { remaining: 40 } })
      await first.charge(one, { cost: nanoDollars(40), tokens: 10 })
      await second.charge(two, { cost: nanoDollars(45), tokens: 30 })
      await first.limits.release(three)
      expect(await running(first)).toBe(0)
      expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 85, held: 0 })
      const after = readLook(await second.limits.admit(buildLook(small.team, small.key)))
      expect(after.rates.tokens?.remaining).toBe(60)
    })

    test('what the database still knows is not counted twice, and what has ended meanwhile is given back', async () => {
      const { first, second, admit, admitWhenReady, running } = await setUp()
      const kept = holdOf(await admit({ ...small, ...paying(40) }))
      await report('truncate limits_epoch')
      // As when the release of a call is forgotten: its row is there again.
      await report(`insert into running_calls (team_id, call_id, process_id, kind, key_hash, model_id, admitted_at, team_period, key_period,
          amount_nano, event_nano, reserved_tokens)
        select team_id, 'forgotten', process_id, 'call', key_hash, model_id, admitted_at, team_period, key_period, 7, 0, 0 from running_calls`)
      await report(`update limit_states set taken_nano = taken_nano + 7, taken_slots = taken_slots + 1`)
      expect(await failureOf(admit(small))).toMatchObject({ code: 'unavailable' })
      expect(await failureOf(admit(small, second))).toMatchObject({ code: 'unavailable' })
      await first.limits.release(holdOf(await admitWhenReady(small)))
      expect(await running(second)).toBe(1)
      expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 0, held: 40 })
      await first.charge(kept, { cost: nanoDollars(40), tokens: 0 })
      expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 40, held: 0 })
    })

    // Shown to fail if only the charge ends a call that was announced again: its hold then stays for as long as the process lives.
    test('a call whose charge is being written while the database is told of it holds nothing afterwards', async () => {
      const { first, second, admit, admitWhenReady, running } = await setUp()
      const hold = holdOf(await admit({ ...small, ...paying(40) }))
      await crash()
      const charge = buildCharge(hold.callId, { keyHash: hold.keyHash, cost: 40, periods: hold.periods })
      const settling = new TestConnection(database.url, 'settle')
      let step: 'admitting' | 'asking' | 'told' = 'admitting'
      database.intercept = async (process, send, text) => {
        if (process !== 0) return send()
        // It asks whether the database has crashed, and then announces the call, which neither sees the charge nor is seen by it.
        if (step === 'admitting' && text.includes('limits_epoch')) step = 'asking'
        else if (step === 'asking' && text.includes('admit_2')) {
          step = 'told'
          await settling.report('begin')
          await settling.report(settleText, ...buildSettlement({ slot: 0, charges: [charge] }))
          const rows = await send()
          await settling.report('commit')
          first.limits.settle(hold, { cost: nanoDollars(40), tokens: 0 })
          return rows
        }
        return send()
      }
      expect(await failureOf(admit(small))).toMatchObject({ code: 'unavailable' })
      expect(await failureOf(admit(small, second))).toMatchObject({ code: 'unavailable' })
      await first.limits.release(holdOf(await admitWhenReady(small)))
      await settling.close()
      expect<string>(step).toBe('told')
      expect(await running(first)).toBe(0)
      expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 40, held: 0 })
    })

    test('a process whose lease is over is not waited for beyond the length of a lease', async () => {
      const { admit, admitWhenReady } = await setUp()
      await crash()
      await report('update processes set lease_until = 0 where slot = 1')
      expect(await failureOf(admit(small))).toMatchObject({ code: 'unavailable' })
      await Bun.sleep(300)
      expect(await failureOf(admit(small))).toMatchObject({ code: 'unavailable' })
      // As if it had announced a lease ago.
      await report('update limits_epoch set announced_at = announced_at - 5000')
      holdOf(await admitWhenReady(small))
    })
  })

  describe('refusals that are remembered', () => {
    const one = { team: buildTeam({ rpmLimit: 1 }), key: buildKey() }

    // Shown to fail without `FullWindows.note`.
    test('a storm on a full window costs no database, until the window has room', async () => {
      const { time, admit } = await setUp()
      holdOf(await admit(one))
      time.now += 10
      const refused = await admit(one)
      let asked = 0
      database.intercept = (_process, send) => {
        asked += 1
        return send()
      }
      expect(await Promise.all(Array.from({ length: 100 }, () => admit(one)))).toEqual(
        Array.from({ length: 100 }, () => refused),
      )
      time.now += 20_000
      expect(await admit(one)).toMatchObject({
        refusal: { code: 'rpm_exceeded', level: 'team', used: 1, resetAt: 1_060_000, retryAfterSeconds: 40 },
        rates: { requests: { limit: 1, remaining: 0, resetMs: 39_990 } },
      })
      expect(asked).toBe(0)
      time.now = 1_060_000
      expect((await admit(one)).admitted).toBe(true)
      expect(asked).toBeGreaterThan(0)
    })

    test('another limit is asked for at once', async () => {
      const { admit } = await setUp()
      holdOf(await admit(one))
      expect((await admit(one)).admitted).toBe(false)
      expect((await admit({ ...one, team: buildTeam({ rpmLimit: 2 }) })).admitted).toBe(true)
    })

    test('what refuses any call is foreseen from them, without taking anything', async () => {
      const { first, admit } = await setUp()
      const poor = { team: buildTeam({ maxBudget: nanoDollars(5) }), key: buildKey() }
      const { levels } = buildRequest({ ...poor, model: null })
      const hold = holdOf(await admit({ ...poor, ...paying(5) }))
      await first.charge(hold, { cost: nanoDollars(5), tokens: 0 })
      expect((await admit({ ...poor, ...paying(1) })).admitted).toBe(false)
      expect(await first.limits.foresee({ levels, leastCost: nanoDollars(1) })).toMatchObject({
        refusal: { code: 'budget_exceeded', level: 'team', used: 5 },
      })
      expect(await first.limits.foresee({ levels, leastCost: nanoDollars(0) })).toBeNull()
    })
  })

  describe('windows', () => {
    test('above 120 a minute requests share half a second: never more than the limit in 60 s, the next at most 500 ms late', async () => {
      const { time, admit } = await setUp()
      const wide = { team: buildTeam({ rpmLimit: 150 }), key: buildKey() }
      const admitted: number[] = []
      for (let step = 0; step < 700; step += 1) {
        time.now += 137
        const decision = await admit(wide)
        if (decision.admitted) admitted.push(time.now)
      }
      const counted = admitted.map(
        (moment, index) => admitted.slice(0, index + 1).filter(each => each > moment - 60_000).length,
      )
      expect(Math.max(...counted)).toBe(150)
      for (const [index, moment] of admitted.entries()) {
        const least = (admitted[index - 150] ?? 0) + 60_000
        if (index >= 150) expect(moment).toBeLessThan(least + 500 + 137)
      }
    })

    // Shown to fail without the GREATEST that uses the latest entry as the time.
    test('a clock that is behind what was counted stands still', async () => {
      const { admit } = await setUp()
      const one = { team: buildTeam({ rpmLimit: 2 }), key: buildKey() }
      holdOf(await admit(one))
      await report('update test_clock set now_ms = now_ms - 30000')
      const behind = holdOf(await admit(one))
      expect(behind.admittedAt).toBe(1_000_000)
      expect(await admit(one)).toMatchObject({ refusal: { code: 'rpm_exceeded', resetAt: 1_060_000 } })
    })

    test('tokens of one second count until the last of them is 60 s old', async () => {
      const { time, admit } = await setUp(1_000_100)
      const ask = async (input: number) => await admit({ ...small, tokens: { input, output: 0 } })
      holdOf(await ask(60))
      time.now = 1_000_900
      holdOf(await ask(40))
      time.now = 1_060_899
      expect(await ask(1)).toMatchObject({ refusal: { code: 'tpm_exceeded', used: 100 } })
      time.now = 1_060_900
      holdOf(await ask(100))
    })

    test('unused tokens go back to the second in which they were taken, and to no other', async () => {
      const { time, first, admit } = await setUp()
      const ask = async (input: number) => await admit({ ...small, tokens: { input, output: 0 } })
      const earlier = holdOf(await ask(30))
      time.now += 2000
      holdOf(await ask(30))
      await first.limits.release(earlier)
      expect(await ask(71)).toMatchObject({ refusal: { code: 'tpm_exceeded', used: 30 } })
      time.now += 58_000
      expect(await ask(71)).toMatchObject({ refusal: { code: 'tpm_exceeded', used: 30 } })
      holdOf(await ask(70))
    })

    // Fails if calls count only where they have a limit themselves: the call of 30 is then not part of what the team holds.
    test('a budget counts what ran before it was set, and what a process admits that does not know it yet', async () => {
      const { first, second, admit } = await setUp()
      const before = holdOf(await admit(paying(60)))
      const askSecond = async (cost: number) => await admit({ ...small, ...paying(cost) }, second)
      expect(await askSecond(41)).toMatchObject({ refusal: { code: 'budget_held', held: 60 } })
      const unaware = holdOf(await admit(paying(30)))
      expect(await askSecond(11)).toMatchObject({ refusal: { code: 'budget_held', held: 90 } })
      await first.limits.release(before)
      await first.charge(unaware, { cost: nanoDollars(25), tokens: 0 })
      expect(await askSecond(76)).toMatchObject({ refusal: { code: 'budget_exceeded' } })
      holdOf(await askSecond(75))
      expect<unknown>(await readSpendOf(first.limits, team, 0)).toEqual({ spent: 25, held: 75 })
    })

    test('states that are not used are deleted, and counted again from the running calls', async () => {
      const { time, first, second, admit, running } = await setUp()
      const hold = holdOf(await admit({ ...small, ...paying(60) }))
      await first.limits.release(holdOf(await admit({ ...small, ...paying(10) })))
      const tidy = async () => {
        await readSpendOf(first.limits, team, 0)
        return await tidyStates(database.run)
      }
      expect(await tidy()).toBe(0)
      time.now += 10 * 60_000 + 1
      await report("insert into limits_epoch values ('gone', 0)")
      // Of the team and the key: nothing is counted for the model within the key, which has no limit.
      expect(await tidy()).toBe(2)
      expect(await report('select count(*)::int from limits_epoch')).toEqual([[3]])
      expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 0, held: 60 })
      expect(await running(second)).toBe(1)
      expect(await admit({ ...small, ...paying(41) }, second)).toMatchObject({
        refusal: { code: 'budget_held', held: 60 },
      })
      const other = holdOf(await admit({ ...small, ...paying(40) }, second))
      await first.charge(hold, { cost: nanoDollars(60), tokens: 0 })
      await second.limits.release(other)
      expect(await running(first)).toBe(0)
      expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 60, held: 0 })
    })
  })

  describe('periods', () => {
    const day = 86_400_000

    test('a process whose clock is behind asks for the period that the database has', async () => {
      const { time, first, second, admit } = await setUp(day - 1000)
      const daily = {
        team: buildTeam({ maxBudget: nanoDollars(100), budgetDuration: '1d', budgetAnchor: 0 }),
        key: buildKey({ budgetDuration: '1d', budgetAnchor: 0 }),
      }
      await first.charge(holdOf(await admit({ ...daily, ...paying(100) })), {
        cost: nanoDollars(100),
        tokens: 0,
      })
      time.now = day + 5
      expect(holdOf(await admit({ ...daily, ...paying(70) })).periods).toEqual({ team: day, key: day })
      // The clock of the machine steps back over the end of the period: it does not begin again.
      await report(`update test_clock set now_ms = ${day - 500}`)
      const hold = holdOf(await admit({ ...daily, ...paying(30) }, second))
      expect(hold.periods).toEqual({ team: day, key: day })
      expect(await admit({ ...daily, ...paying(1) }, second)).toMatchObject({
        refusal: { code: 'budget_held', held: 100 },
      })
    })

    // Shown to fail if budgets are compared without what is spent.
    test('what was spent counts', async () => {
      const { first, admit } = await setUp(5)
      const lean = { team: buildTeam({ maxBudget: nanoDollars(100) }) }
      await first.charge(holdOf(await admit({ ...lean, ...paying(60) })), {
        cost: nanoDollars(60),
        tokens: 0,
      })
      for (let call = 0; call < 2; call += 1) holdOf(await admit({ ...lean, ...paying(10) }))
      expect(await admit({ ...lean, ...paying(30) })).toMatchObject({
        refusal: { code: 'budget_held', used: 60, held: 20 },
      })
    })

    // Shown to fail if they are given back to another second.
    test('unused tokens that go with a call return to their second', async () => {
      const { time, first, admit } = await setUp(500_000)
      const team = buildTeam({ tpmLimit: 100 })
      const call = (input: number) => admit({ team, tokens: { input, output: 0 } })
      const hold = holdOf(await call(30))
      time.now += 30_000
      holdOf(await call(40))
      await first.limits.settle(hold, { cost: nanoDollars(0), tokens: 10 })
      holdOf(await call(50))
      time.now += 30_000
      expect(await call(11)).toMatchObject({ refusal: { code: 'tpm_exceeded', used: 90 } })
      holdOf(await call(10))
    })

    // Shown to fail if the end of the period is overlooked.
    test('the clock of the database ends periods and phases, though that of the machine is behind', async () => {
      const { first, admit } = await setUp(day - 1000)
      const daily = { team: buildTeam({ budgetDuration: '1d' }) }
      for (let call = 0; call < 2; call += 1)
        expect(holdOf(await admit({ ...daily, ...paying(10) })).periods.team).toBe(0)
      await report(`update test_clock set now_ms = ${day + 5}`)
      expect(holdOf(await admit({ ...daily, ...paying(10) })).periods.team).toBe(day)
      await report(`update test_clock set now_ms = ${3 * day}`)
      const event = { cap: null, teamBudget: null, since: null, until: 3 * day }
      const late = buildRequest({ team: buildTeam({ teamId: 'b' }), key: buildKey({ keyHash: 'b' }), event })
      const failure = await failureOf((async () => first.limits.admit(late))())
      expect(failure).toMatchObject({ now: 3 * day })
      expect((await first.limits.totals()).slots).toBe(3)
    })

    // Shown to fail if the periods of totals are overlooked.
    test('a period that has begun does not end, though all that is left of it is a charge', async () => {
      const { second, first, admit } = await setUp(day - 1000)
      const daily = {
        team: buildTeam({ maxBudget: nanoDollars(100), budgetDuration: '1d' }),
        key: buildKey(),
      }
      // The clock of the database is ahead of that of the machine.
      await report(`update test_clock set now_ms = ${day + 5}`)
      const hold = holdOf(await admit({ ...daily, ...paying(70) }))
      expect(hold.periods).toEqual({ team: day, key: 0 })
      await first.charge(hold, { cost: nanoDollars(70), tokens: 0 })
      await report('truncate limit_states')
      await report(`update test_clock set now_ms = ${day - 500}`)
      expect(holdOf(await admit({ ...daily, ...paying(30) }, second)).periods).toEqual({ team: day, key: 0 })
      expect(await admit({ ...daily, ...paying(31) }, second)).toMatchObject({
        refusal: { code: 'budget_exceeded', used: 70 },
      })
    })
  })

  test('an order that is charged gives its money back and keeps its slot until it ends', async () => {
    const { first, second, admit, running } = await setUp()
    const hold = holdOf(await admit({ ...small, ...paying(60) }))
    const charge = buildCharge(hold.callId, { cost: 50, kind: 'order', periods: { team: 0, key: 0 } })
    for (let times = 0; times < 2; times += 1)
      await report(settleText, ...buildSettlement({ slot: 0, charges: [charge] }))
    first.limits.settle(hold, { cost: nanoDollars(50), tokens: 0 })
    expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 50, held: 0 })
    expect(await running(second)).toBe(1)
    for (let times = 0; times < 2; times += 1)
      await report(
        settleText,
        ...buildSettlement({ slot: 0, ended: [{ teamId: 'team-1', callId: hold.callId }] }),
      )
    expect(await running(second)).toBe(0)
    expect<unknown>(await readSpendOf(second.limits, team, 0)).toEqual({ spent: 50, held: 0 })
  })

  // Shown to fail if states are joined with the levels of the batch, in the question or in the update: all 2,000 are read, twice.
  test('an admission reads its own states alone, however few there were when the database made its plan', async () => {
    await setUp()
    const lane = connectToAdmit(database.url, 'counted')
    let fetched = 0
    const processId = await registerProcess(lane, 9)
    const limits = buildSharedLimits({
      run: async query => {
        await lane.report('begin')
        const rows = await lane.run(query)
        const counted = await lane.report(
          "select idx_tup_fetch::int from pg_stat_xact_user_tables where relname = 'limit_states'",
        )
        await lane.report('commit')
        fetched = Number(counted[0]?.[0] ?? 0)
        return rows
      },
      read: database.run,
      lease: { process: () => ({ processId, slot: 9 }), isHeld: () => true },
      clock: () => 1_000_000,
    })
    await limits.begin()
    await limits.admit(buildRequest(small))
    await report('analyze limit_states')
    await limits.admit(buildRequest(small))
    await report(
      "insert into limit_states select 'other', 'key:' || i, 0, 0, 0, 0, 0, 0, '{}', '{}' from generate_series(1, 2000) i",
    )
    await limits.admit(buildRequest(small))
    expect(fetched).toBeGreaterThan(0)
    expect(fetched).toBeLessThan(20)
    await limits.close()
    await lane.close()
  })

  test('what each model has cost is read for many keys at once', async () => {
    const { first, admit } = await setUp()
    const pay = async (keyHash: string, id: string, cost: number) => {
      const hold = holdOf(
        await admit({ key: buildKey({ keyHash }), model: buildModel({ id }), ...paying(cost) }),
      )
      await first.charge(hold, { cost: nanoDollars(cost), tokens: 0 })
    }
    await pay('a', 'vendor:x', 3)
    await pay('a', 'b', 2)
    await pay('a', 'b', 2)
    await pay('c', 'b', 1)
    const keys = ['a', 'none', 'c'].map(keyHash => ({ teamId: 'team-1', keyHash, periodStart: 0 }))
    expect<unknown>(await first.limits.readModelSpend(keys)).toEqual([
      [
        { modelId: 'b', spent: 4 },
        { modelId: 'vendor:x', spent: 3 },
      ],
      [],
      [{ modelId: 'b', spent: 1 }],
    ])
    expect(await first.limits.readSpend([])).toEqual([])
  })
}
