// A PostgreSQL database of its own for one test, in the server that the test runner has started.
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'

export type TestDatabase = {
  readonly url: string
  /** Throws what is still connected out. */
  readonly drop: () => Promise<void>
}

/** Null when the tests run on SQLite. */
export function findTestPostgres(): string | null {
  return process.env.TEST_POSTGRES_URL ?? null
}

export async function createTestPostgres(serverUrl: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const run = async (text: string) => {
    const client = new Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  await run(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) }
}
