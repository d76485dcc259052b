// The limits of several processes on a real PostgreSQL: the contract of every engine, and what only these can do.
import { afterAll, describe, test } from 'bun:test'
import { findTestPostgres } from '../../store/testing/create-test-postgres.ts'
import { openSharedTestDatabase } from '../testing/create-shared-engine.ts'
import { describeLimits } from '../testing/describe-limits.ts'

const server = findTestPostgres()

if (server === null) {
  describe('limits shared through PostgreSQL', () => {
    test.skip('SKIPPED: TEST_POSTGRES_URL names no server', () => undefined)
  })
} else {
  const database = await openSharedTestDatabase(server, { processes: 2 })
  afterAll(database.close)
  describeLimits('the limits in PostgreSQL', 'database', database.createEngine)
}
