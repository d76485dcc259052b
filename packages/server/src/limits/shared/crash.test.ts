// suite: test on postgres; invariant; 13 s
// A PostgreSQL of its own that stops at once under load, twice: no charge is lost or doubled, nothing stays held, no limit is passed.

import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { startPostgres } from '../../../../../scripts/testing/start-postgres.ts'
import { nanoDollars } from '../../ledger/money.ts'
import { openPostgresStore } from '../../store/postgres/open-postgres-store.ts'
import { buildSettlement, settleText } from '../../store/statements/settle-shared.ts'
import { buildCharge } from '../../store/testing/build-ledger-rows.ts'
import { findTestPostgres } from '../../store/testing/create-test-postgres.ts'
import { buildLevels } from '../build-levels.ts'
import type { Hold } from '../port.ts'
import { buildKey, buildModel, buildTeam } from '../testing/build-parties.ts'
import {
  buildSharedLimits,
  connectToAdmit,
  registerProcess,
  TestConnection,
} from '../testing/build-shared-limits.ts'

setDefaultTimeout(300_000)

const requestLimit = 6000
const slots = 6
const loadMs = 1200

const server = findTestPostgres() === null ? null : startPostgres()

if (server === null) test.skip('SKIPPED: no server may be started', () => undefined)
else {
  // Shown to fail if a process does not announce, if it does not take back what it no longer runs, and if a call whose answer is lost keeps
  // what it took.
  test('the database crashes under load', async () => {
    await (await openPostgresStore({ connectionString: server.url })).close()
    const processes = await Promise.all([0, 1].map(slot => beginProcess(server.url, slot)))
    const team = buildTeam({ rpmLimit: requestLimit, maxBudget: nanoDollars(1e9) })
    const keys = ['a', 'b'].map(keyHash => buildKey({ keyHash, maxParallelRequests: slots }))
    const admitted: number[] = []
    const running = new Map<string, number>()
    let most = 0
    let charged = 0
    let refusedWithout = 0
    let isOver = false
    const caller = async (index: number) => {
      const process = processes[index % 2]
      const key = keys[index % 3 === 0 ? 0 : 1]
      if (process === undefined || key === undefined) throw new Error('They are there.')
      const levels = buildLevels(team, key, buildModel())
      while (!isOver) {
        const request = {
          callId: randomUUID(),
          levels,
          tokens: { input: 0, output: 0 },
          estimate: { kind: 'fixed', cost: nanoDollars(10) },
          countsRequest: true,
        } as const
        const decision = await Promise.resolve(process.limits.admit(request)).catch(() => null)
        if (decision === null) refusedWithout += 1
        if (decision === null || !decision.admitted) {
          await Bun.sleep(decision === null ? 20 : 5)
          continue
        }
        const { hold } = decision
        admitted.push(hold.admittedAt)
        running.set(key.keyHash, (running.get(key.keyHash) ?? 0) + 1)
        most = Math.max(most, running.get(key.keyHash) ?? 0)
        await Bun.sleep(index % 7)
        running.set(key.keyHash, (running.get(key.keyHash) ?? 0) - 1)
        if (index % 5 === 0) await process.limits.release(hold)
        else {
          await process.charge(hold)
          charged += 1
        }
      }
    }
    const callers = Array.from({ length: 24 }, (_, index) => caller(index))
    for (let crash = 0; crash < 2; crash += 1) {
      await Bun.sleep(loadMs)
      server.restart()
      const before = admitted.length
      while (admitted.length === before && before < requestLimit) await Bun.sleep(10)
    }
    await Bun.sleep(loadMs)
    isOver = true
    await Promise.all(callers)
    for (const { limits } of processes) await limits.close()
    expect(refusedWithout).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(slots)
    const perMinute = admitted.map(last => admitted.filter(at => at > last - 60_000 && at <= last).length)
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(requestLimit)
    const [rows] = await Promise.all([
      processes[0]?.read(`select (select count(*) from charges)::int, (select sum(cost_nano) from charges)::int,
        (select sum(spent_nano) from totals where owner = 'team:team-1')::int, (select count(*) from running_calls)::int,
        (select count(*) from limit_states s join (select owner, sum(returned_nano) as nano, sum(returned_slots) as slots from totals group by owner) t
          on t.owner = s.level where s.taken_nano <> t.nano or s.level like 'key:%' and s.taken_slots <> t.slots)::int`),
    ])
    expect(rows).toEqual([[charged, charged * 7, charged * 7, 0, 0]])
    for (const process of processes) await process.close()
    server.stop()
  })
}

async function beginProcess(url: string, slot: number) {
  const admission = connectToAdmit(url, 'admit')
  const settling = new TestConnection(url, 'settle')
  const processId = await registerProcess(settling, slot)
  const limits = buildSharedLimits({
    run: admission.run,
    read: settling.run,
    lease: { process: () => ({ processId, slot }), isHeld: () => true },
    clock: Date.now,
    every: (milliseconds, wake) => {
      const timer = setInterval(wake, milliseconds)
      return () => clearInterval(timer)
    },
  })
  await limits.begin()
  return {
    limits,
    /** As the ledger writer: until it is on disk. */
    charge: async (hold: Hold) => {
      const charge = buildCharge(hold.callId, { keyHash: hold.keyHash, cost: 7, periods: hold.periods })
      for (;;) {
        try {
          await settling.report(settleText, ...buildSettlement({ slot, charges: [charge] }))
          return limits.settle(hold, { cost: nanoDollars(7), tokens: 0 })
        } catch {
          await Bun.sleep(50)
        }
      }
    },
    read: (text: string) => settling.report(text),
    close: async () => {
      await admission.close()
      await settling.close()
    },
  }
}
