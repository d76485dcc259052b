// suite: test on postgres; 36 s
// The primary of PostgreSQL fails and its standby takes over: the running server continues with the new one and loses nothing it answered.
import { describe, expect, test } from 'bun:test'
import { Client } from 'pg'
import { startPostgres, type TestPostgres } from '../../../scripts/testing/start-postgres.ts'
import { startServer } from '../src/main.ts'
import { findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { createManagement } from './testing/management.ts'
import { adminKey, createSurroundings } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

/** How the primary stops being one. */
const troubles: readonly (readonly [string, (primary: TestPostgres) => Promise<void>])[] = [
  ['dies', async primary => primary.kill()],
  [
    'is made read-only and keeps its connections',
    async primary => {
      // No standby confirms a commit once it has left, so the primary must not wait for it.
      await query(primary.url, 'alter system reset synchronous_standby_names')
      await query(primary.url, 'alter system set default_transaction_read_only = on')
      await query(primary.url, 'select pg_reload_conf()')
    },
  ],
]

type Answer = { readonly status: number; readonly ms: number; readonly retryAfter: string | null }

describe.skipIf(findTestPostgres() === null)('a primary with a synchronous standby', () => {
  // Shown to fail on the version before, which refuses two servers in DATABASE_URL. Without the cut of followed connections the second
  // case fails at the connections that are left on the old primary.
  test.each(troubles)(
    'the primary %s: 503 in bounded time, and calls work again within 5 s of the promotion',
    async (_, begin) => {
      const primary = startPostgres()
      if (primary === null) throw new Error('PostgreSQL is not installed.')
      const place = await createSurroundings()
      try {
        const standby = primary.addStandby()
        await query(primary.url, "alter system set synchronous_standby_names = '*'")
        await query(primary.url, 'select pg_reload_conf()')
        await query(primary.url, 'create database fairgate')
        const hosts = [primary, standby].map(({ url }) => new URL(url).host)
        const server = await startServer({
          ...place.variables,
          DATABASE_URL: `postgres://fairgate@${hosts.join(',')}/fairgate?target_session_attrs=read-write`,
        })
        const manage = createManagement(server.adminUrl, adminKey)
        const key = await manage.team('team-a', { max_budget: 100 })
        const answers: Answer[] = []
        const call = async (): Promise<number> => {
          const begun = performance.now()
          const response = await fetch(`${server.gatewayUrl}/v1/chat/completions`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'hello' }] }),
          })
          await response.text()
          const { status, headers } = response
          answers.push({ status, ms: performance.now() - begun, retryAfter: headers.get('retry-after') })
          return status
        }
        let isOver = false
        const client = async () => {
          while (!isOver) {
            await call()
            await Bun.sleep(5)
          }
        }
        const load = Promise.all(Array.from({ length: 8 }, client))
        await waitUntil('50 calls were answered', () => answers.length >= 50)
        await begin(primary)
        await waitUntil('calls are refused', () => answers.at(-1)?.status === 503)
        expect((await fetch(`${server.gatewayUrl}/v1/models`)).status).toBe(401)
        expect((await manage.teamInfo('team-a')).team_info.max_budget).toBe(100)

        await standby.promote()
        await waitUntil('calls are answered again', () => answers.at(-1)?.status === 200)
        const before = answers.length
        await waitUntil('50 more were answered', () => answers.length >= before + 50)
        isOver = true
        await load
        // The store asks its server each second what it is.
        while ((await countLeftBehind(primary)) > 0) await Bun.sleep(20)
        expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
        expect(answers.filter(({ status, retryAfter }) => status === 503 && retryAfter === null)).toEqual([])
        expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(60_000)

        const url = `${standby.url.slice(0, standby.url.lastIndexOf('/'))}/fairgate`
        const there = { ...place, databaseUrl: url }
        const answered = answers.filter(({ status }) => status === 200).length
        const isSettled = async () => (await manage.teamInfo('team-a')).team_info.held === 0
        await waitUntil('nothing is held any more', isSettled)
        const charges = await readCharges(there, 'team-a')
        expect(charges.length).toBeGreaterThanOrEqual(answered)
        const { spend } = (await manage.teamInfo('team-a')).team_info
        expect(Math.round(spend * 1e9)).toBe(sumCost(charges))
        // The connection that keeps the lock is made again within a second or two of its loss.
        await waitUntil('the lock is held on the new primary', async () => (await countLocks(url)) === 1)
        await server.stop()
      } finally {
        primary.stop()
        await place.remove()
      }
    },
    300_000,
  )
})

/** Waits for at most a minute, so that the failure names what did not happen. */
async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > giveUpAt) throw new Error(`A minute has passed before this: ${what}.`)
    await Bun.sleep(10)
  }
}

async function countLocks(url: string): Promise<number> {
  const [row] = await query(url, "select count(*)::int as held from pg_locks where locktype = 'advisory'")
  return row !== undefined && 'held' in row ? Number(row.held) : -1
}

/** Connections of Fairgate to the old primary, if there is one: they would read old data. */
async function countLeftBehind(primary: TestPostgres): Promise<number> {
  const found = await query(
    primary.url,
    "select count(*)::int as count from pg_stat_activity where datname = 'fairgate' and application_name <> 'fairgate-choice'",
  ).catch(() => [{ count: 0 }])
  const [row] = found
  return row !== undefined && 'count' in row ? Number(row.count) : -1
}

async function query(connectionString: string, text: string): Promise<object[]> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<object>(text)).rows
  } finally {
    await client.end()
  }
}
