// suite: full on postgres; invariant; 66 s
// The crowds at a scarce model on a real PostgreSQL, by one process and by two.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { findTestPostgres } from '../../store/testing/create-test-postgres.ts'
import { openSharedTestDatabase } from '../testing/create-shared-engine.ts'
import { type LinesTally, linesPlan, playLines } from '../testing/simulation/play-lines.ts'
import { chooseSeed } from '../testing/simulation/simulate.ts'

const server = findTestPostgres()

setDefaultTimeout(600_000)

if (server === null) test.skip('SKIPPED: TEST_POSTGRES_URL names no server', () => undefined)
else {
  for (const processes of [1, 2]) {
    const database = await openSharedTestDatabase(server, { processes })
    afterAll(database.close)
    test(`${processes}: lines before a shared window use all of it, and pass neither window nor cap nor phase`, async () => {
      const seed = chooseSeed()
      const tally: LinesTally = { calls: 0, refused: 0, over: 0 }
      await fc.assert(
        fc.asyncProperty(linesPlan, plan => playLines(plan, database.createEngine, tally)),
        { seed, numRuns: 3, endOnFailure: true },
      )
      console.log(
        `simulation of fair lines by ${processes} on PostgreSQL: SIMULATION_SEED=${seed}, ${JSON.stringify(tally)}`,
      )
      expect(tally.calls).toBeGreaterThan(0)
    })
  }
}
