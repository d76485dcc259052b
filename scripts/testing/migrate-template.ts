// Creates the tables in the template database, which PostgreSQL copies for each new test database.
import { openPostgresStore } from '../../packages/server/src/store/postgres/open-postgres-store.ts'

/** Saves each test's server migrating its own database, which takes 0.15 s of time and of a processor. */
export async function migrateTemplate(serverUrl: string): Promise<void> {
  const url = new URL(serverUrl)
  url.pathname = '/template1'
  const store = await openPostgresStore({
    connectionString: url.href,
    reportFailure: error => console.error(error),
  })
  await store.close()
}
