// suite: test on postgres; invariant; 23 s
// The histories of the simulation on a real PostgreSQL, by one process and by three, against the same bookkeeper as the limits in memory.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { findTestPostgres } from '../../store/testing/create-test-postgres.ts'
import { openSharedTestDatabase } from '../testing/create-shared-engine.ts'
import { chooseSeed, simulate } from '../testing/simulation/simulate.ts'

const server = findTestPostgres()

// About a hundred steps a second on a quiet machine.
setDefaultTimeout(600_000)

if (server === null) test.skip('SKIPPED: TEST_POSTGRES_URL names no server', () => undefined)
else {
  for (const processes of [1, 3]) {
    const database = await openSharedTestDatabase(server, { processes, remembersRefusals: false })
    afterAll(database.close)
    test(`${processes}: every decision, refusal and figure is what counting all events again gives`, async () => {
      const seed = chooseSeed()
      const { createEngine } = database
      const { steps, admitted } = await simulate({ createEngine, seed, histories: 6, steps: 250 })
      console.log(`simulation of ${processes} on PostgreSQL: SIMULATION_SEED=${seed}, ${steps} steps`)
      expect(admitted).toBeGreaterThan(0)
    })
  }
}
