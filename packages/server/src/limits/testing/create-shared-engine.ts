// The engine of multiple processes on its own PostgreSQL database, with a clock that tests set. Each engine begins with empty tables.

import { randomUUID } from 'node:crypto'
import { openPostgresStore } from '../../store/postgres/open-postgres-store.ts'
import { buildSettlement, settleText } from '../../store/statements/settle-shared.ts'
import { buildAuditEntry } from '../../store/testing/build-directory-rows.ts'
import { buildAdjustment, buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { createTestPostgres, type TestDatabase } from '../../store/testing/create-test-postgres.ts'
import type { Hold } from '../port.ts'
import type { RunQuery } from '../shared/admission-lane.ts'
import { nameOwner } from '../shared/level-names.ts'
import type { SharedLimits } from '../shared/shared-limits.ts'
import { buildKey, buildTeam } from './build-parties.ts'
import { buildSharedLimits, connectToAdmit, registerProcess, TestConnection } from './build-shared-limits.ts'
import type { Actual, CreateEngine, EngineProcess } from './engine.ts'
import { buildLook } from './look-at.ts'

export type SharedTestDatabase = {
  readonly url: string
  readonly run: RunQuery
  readonly createEngine: CreateEngine
  /** Intercepts the admissions of a process on their way to the database, and their answers on the way back. */
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
  const store = await openPostgresStore({ connectionString: test.url })
  const lanes = Array.from({ length: processes }, (_, slot) => connectToAdmit(test.url, `admit ${slot}`))
  const other = new TestConnection(test.url, 'settle')
  const { run } = other
  const report = (text: string, ...values: unknown[]) => other.report(text, ...values)
  await report('create table test_clock (now_ms bigint)')
  await report('insert into test_clock values (0)')
  await report(
    `create or replace function limits_clock_1() returns bigint language sql volatile as 'select now_ms from test_clock'`,
  )

  let endLast = async (): Promise<void> => undefined
  const createEngine: CreateEngine = async time => {
    await endLast()
    await report('truncate limit_states, limits_epoch, running_calls, totals, charges, calls, processes')
    let latest = Number.NEGATIVE_INFINITY
    let reported = Number.NEGATIVE_INFINITY
    let telling: Promise<unknown> = Promise.resolve()
    const clock = () => {
      latest = Math.max(latest, time.now)
      return latest
    }
    const runAt =
      (slot: number): RunQuery =>
      async query => {
        if (reported !== clock()) {
          reported = latest
          telling = report('update test_clock set now_ms = $1', reported)
        }
        // A call that comes while another sets the time waits for it too, or it would see the old time.
        await telling
        const lane = lanes[slot]
        if (lane === undefined) throw new Error(`There is no process ${slot}.`)
        return database.intercept(slot, () => lane.run(query), query.text)
      }
    const register = async (slot: number) => ({
      processId: await registerProcess(other, slot),
      isHeld: true,
    })
    /** As the ledger writer does. */
    const settle = (slot: number, input: Omit<Parameters<typeof buildSettlement>[0], 'slot'>) =>
      report(settleText, ...buildSettlement({ slot, ...input }))
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
      const limits = buildSharedLimits({
        run: runAt(slot),
        read: runAt(slot),
        lease: { process: () => ({ processId: lease.processId, slot }), isHeld: () => lease.isHeld },
        clock,
        remembersRefusals,
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
        adjust: async correction => {
          await store.write.writeAdjustment({
            slot,
            adjustment: buildAdjustment(randomUUID(), {
              team_id: correction.teamId,
              key_hash: correction.keyHash,
              model_id: correction.modelId,
              amount_nano: correction.amount,
              team_period: correction.periods.team,
              key_period: correction.periods.key,
            }),
            audit: buildAuditEntry('spend.adjust'),
            seenLeft: null,
          })
          limits.adjust(correction)
        },
      }
    }
    /** Like the sweep of another process: everything that the process left ends without a charge. */
    const sweep = async ({ processId }: { readonly processId: string }, slot: number) => {
      const left = await report('select team_id, call_id from running_calls where process_id = $1', processId)
      await settle(slot, {
        charges: [],
        ended: left.map(([teamId, callId]) => ({ teamId: String(teamId), callId: String(callId) })),
      })
      await report('delete from processes where process_id = $1', processId)
    }
    /**
     * Unused tokens go with the next admission, and so do those used beyond a reservation: here with one that takes nothing, before the
     * clock moves on.
     */
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
          await report(
            `insert into totals (team_id, owner, slot, period_start, spent_nano, lifetime_nano, version)
              values ($1, $2, 63, $3, $4 - (select coalesce(sum(spent_nano), 0) from totals where team_id = $1 and owner = $2 and period_start = $3), $4, 1)
              on conflict (team_id, owner, slot) do update set spent_nano = case when totals.period_start = excluded.period_start then totals.spent_nano else 0 end + excluded.spent_nano, period_start = excluded.period_start`,
            nameOwner(owner).teamId,
            nameOwner(owner).name,
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
      for (const each of [...lanes, other, store]) await each.close()
      await test.drop()
    },
  }
  return database
}
