// The engine of several processes on a PostgreSQL database of its own, with a clock that tests set. Each engine begins with empty tables.

import { randomUUID } from 'node:crypto'
import { ServerChoice } from '../../store/postgres/choose-server.ts'
import { readDatabaseAddress } from '../../store/postgres/database-address.ts'
import { openPostgresStore } from '../../store/postgres/open-postgres-store.ts'
import { buildSettlement, settleText } from '../../store/statements/settle-shared.ts'
import { buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { createTestPostgres, type TestDatabase } from '../../store/testing/create-test-postgres.ts'
import type { Hold } from '../port.ts'
import type { RunQuery } from '../shared/admission-lane.ts'
import { HotConnection } from '../shared/hot-connection.ts'
import { nameOwner } from '../shared/level-names.ts'
import { SharedLimits } from '../shared/shared-limits.ts'
import { buildKey, buildTeam } from './build-parties.ts'
import type { Actual, CreateEngine, EngineProcess } from './engine.ts'
import { buildLook } from './look-at.ts'

export type SharedTestDatabase = {
  readonly url: string
  readonly run: RunQuery
  readonly createEngine: CreateEngine
  /** What the admissions of a process pass through on their way to the database, and their answers on the way back. */
  intercept: (process: number, send: () => Promise<unknown[][]>, text: string) => Promise<unknown[][]>
  readonly close: () => Promise<void>
}

type Process = EngineProcess & {
  readonly limits: SharedLimits
  readonly slot: number
  lease: { processId: string; isHeld: boolean }
}

/** For one test file. `processes`: how many each engine has. */
export async function openSharedTestDatabase(
  server: string,
  { processes = 1, remembersRefusals = true } = {},
): Promise<SharedTestDatabase> {
  const test: TestDatabase = await createTestPostgres(server)
  await (await openPostgresStore({ connectionString: test.url })).close()
  const connect = (name: string, settings: readonly string[] = []) =>
    new HotConnection({
      database: new ServerChoice(readDatabaseAddress(test.url)),
      name,
      settings,
      statementMs: 2000,
    })
  const lanes = Array.from({ length: processes }, (_, slot) =>
    connect(`admit ${slot}`, ['set synchronous_commit = off']),
  )
  const other = connect('settle')
  const run: RunQuery = query => other.run({ ...query, values: [...query.values] })
  const tell = (text: string, ...values: unknown[]) => other.run({ text, values })
  await tell('create table test_clock (now_ms bigint)')
  await tell('insert into test_clock values (0)')
  await tell(
    `create or replace function limits_clock_1() returns bigint language sql volatile as 'select now_ms from test_clock'`,
  )

  let endLast = async (): Promise<void> => undefined
  const createEngine: CreateEngine = async time => {
    await endLast()
    await tell('truncate limit_states, limits_epoch, running_calls, totals, charges, calls, processes')
    let latest = Number.NEGATIVE_INFINITY
    let told = Number.NEGATIVE_INFINITY
    const clock = () => {
      latest = Math.max(latest, time.now)
      return latest
    }
    const runAt =
      (slot: number): RunQuery =>
      async query => {
        if (told !== clock()) {
          told = latest
          await tell('update test_clock set now_ms = $1', told)
        }
        const lane = lanes[slot]
        if (lane === undefined) throw new Error(`There is no process ${slot}.`)
        return database.intercept(slot, () => lane.run({ ...query, values: [...query.values] }), query.text)
      }
    const register = async (slot: number) => {
      const processId = randomUUID()
      await tell(
        `insert into processes (process_id, slot, lease_until, started_at, version) values ($1, $2, 9000000000000000, 0, 'test')`,
        processId,
        slot,
      )
      return { processId, isHeld: true }
    }
    const settle = (slot: number, input: Omit<Parameters<typeof buildSettlement>[0], 'slot'>) =>
      tell(settleText, ...buildSettlement({ slot, ...input }))
    const chargeOf = (hold: Hold, actual: Actual) =>
      buildCharge(hold.callId, {
        teamId: hold.teamId,
        keyHash: hold.keyHash,
        modelId: hold.modelId ?? '',
        cost: actual.cost,
        admittedAt: hold.admittedAt,
        periods: hold.periods,
      })
    const begin = async (slot: number): Promise<Process> => {
      const lease = await register(slot)
      const limits = new SharedLimits({
        run: runAt(slot),
        read: runAt(slot),
        lease: { process: () => ({ processId: lease.processId, slot }), isHeld: () => lease.isHeld },
        clock,
        remembersRefusals,
        nextTurn: () => new Promise(resolve => setImmediate(resolve)),
        after: (milliseconds, wake) => void setTimeout(wake, milliseconds).unref(),
        every: () => () => undefined,
        reportFailure: () => undefined,
        observeBatch: () => undefined,
      })
      await limits.begin()
      return {
        limits,
        slot,
        lease,
        charge: async (hold, actual) => {
          await settle(slot, { charges: [chargeOf(hold, actual)] })
          limits.settle(hold, actual)
          await carryTokens(limits, hold)
        },
        refund: async (hold, cost) => {
          const charge = chargeOf(hold, { cost, tokens: 0 })
          await settle(slot, {
            charges: [{ ...charge, callId: `${hold.callId}/refund`, cost: -cost, outcome: 'refunded' }],
          })
          limits.refund({ ...hold, cost })
        },
      }
    }
    /** As the sweep of another process: all that the process has left ends without a charge. */
    const sweep = async ({ processId }: { readonly processId: string }, slot: number) => {
      const left = await tell('select team_id, call_id from running_calls where process_id = $1', processId)
      await settle(slot, {
        charges: [],
        ended: left.map(([teamId, callId]) => ({ teamId: String(teamId), callId: String(callId) })),
      })
      await tell('delete from processes where process_id = $1', processId)
    }
    /** Unused tokens go with the next admission, and so do those used beyond a reservation: here with one that takes nothing, before the clock goes on. */
    const carryTokens = async (limits: SharedLimits, { teamId, keyHash }: Hold) => {
      await limits.admit(buildLook(buildTeam({ teamId }), buildKey({ teamId, keyHash })))
    }
    const running: Process[] = []
    endLast = async () => {
      for (const { limits } of running) await limits.close()
    }
    for (let slot = 0; slot < processes; slot += 1) running.push(await begin(slot))
    const processAt = (index: number): Process => {
      const found = running[index]
      if (found === undefined) throw new Error(`There is no process ${index}.`)
      return found
    }
    return {
      get processes() {
        const [first, ...others] = running
        if (first === undefined) throw new Error('There is no process.')
        return [first, ...others] as const
      },
      shared: {
        chargeTwice: async (index, hold, actual) => {
          const { slot, limits } = processAt(index)
          await settle(slot, { charges: [chargeOf(hold, actual)] })
          await settle(slot, { charges: [chargeOf(hold, actual)] })
          limits.settle(hold, actual)
          await carryTokens(limits, hold)
        },
        stall: async index => {
          const { lease, slot, limits } = processAt(index)
          await sweep(lease, (slot + 1) % Math.max(2, processes))
          Object.assign(lease, await register(slot))
          await limits.begin()
        },
      },
      write: () => false,
      lastWrittenAt: () => null,
      restart: async (index, totals) => {
        const { lease, slot } = processAt(index)
        await sweep(lease, slot)
        running[index] = await begin(slot)
        for (const { owner, periodStart, spent } of totals)
          await tell(
            `insert into totals (team_id, owner, slot, period_start, spent_nano, lifetime_nano, version)
              values ($1, $2, 63, $3, $4 - (select coalesce(sum(spent_nano), 0) from totals where team_id = $1 and owner = $2 and period_start = $3), $4, 1)
              on conflict (team_id, owner, slot) do update set spent_nano = case when totals.period_start = excluded.period_start then totals.spent_nano else 0 end + excluded.spent_nano, period_start = excluded.period_start`,
            owner.teamId,
            nameOwner(owner),
            periodStart,
            spent,
          )
      },
    }
  }
  const database: SharedTestDatabase = {
    url: test.url,
    run,
    createEngine,
    intercept: (_process, send) => send(),
    close: async () => {
      await endLast()
      for (const each of [...lanes, other]) await each.close()
      await test.drop()
    },
  }
  return database
}
