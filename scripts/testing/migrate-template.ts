// Gives the databases of the tests their tables: PostgreSQL makes each new database as a copy of its template.
import { openPostgresStore } from '../../packages/server/src/store/postgres/open-postgres-store.ts'

/** Without it each test's server migrates its own database, which takes 0.15 s and as much of a processor. */
export async function migrateTemplate(serverUrl: string): Promise<void> {
  const url = new URL(serverUrl)
  url.pathname = '/template1'
  const store = await openPostgresStore({
    connectionString: url.href,
    reportFailure: error => console.error(error),
  })
  await store.close()
}
