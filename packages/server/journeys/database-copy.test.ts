// suite: test on sqlite; full on postgres; 112 s
// A data folder moved into PostgreSQL: used there, killed in the middle and gone on, every kind of value, and refused where it must be.
//
// Shown to fail: without `application_name` on the copy's connection (the page of a killed copy is committed beside that of the next), with
// positions that are written apart from their rows, with numbers instead of bigint, and without `refuseUnfinishedCopy`.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { createBackups } from '../src/backup/backups.ts'
import { type CopyInput, type CopyReport, copyDatabase } from '../src/backup/copy-database.ts'
import { tableNames } from '../src/backup/copy-tables.ts'
import { startServer } from '../src/main.ts'
import { holdDatabaseLock } from '../src/store/postgres/hold-database-lock.ts'
import { lockDataFolder } from '../src/store/sqlite/lock-data-folder.ts'
import { appendEntries } from '../src/store/statements/append-entries.ts'
import { buildEntryToAppend, packTestEntries, sender } from '../src/store/testing/build-entry-to-append.ts'
import {
  createTestPostgres,
  findTestPostgres,
  type TestDatabase,
} from '../src/store/testing/create-test-postgres.ts'
import { failureOf } from '../src/store/testing/failure-of.ts'
import { openTestDatabase } from '../src/store/testing/open-test-database.ts'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createManagement } from './testing/management.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

const postgres = findTestPostgres()
const program = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
const odd = 'a\t"b"\\N \\. \\x00 {},\r\n\u0001 \u2028 日本 \u{1f680} \u202e ’'

let place: Surroundings
const databases: TestDatabase[] = []
beforeAll(async () => {
  place = await createSurroundings()
})
afterAll(async () => {
  for (const database of databases) await database.drop()
  await place.remove()
})

/** An empty database that goes with the last test. */
async function createTarget(): Promise<string> {
  if (postgres === null) return 'postgres://nobody@127.0.0.1:1/none'
  const database = await createTestPostgres(postgres, { isEmpty: true })
  databases.push(database)
  return database.url
}

/** A data folder of its own with the current schema. */
async function createFolder(name: string): Promise<string> {
  const folder = join(place.folder, name)
  mkdirSync(folder)
  await (await openTestDatabase(join(folder, 'fairgate.db'))).close()
  return folder
}

function change(
  folder: string,
  text: string,
  values: readonly (string | bigint | Uint8Array | null)[] = [],
): void {
  const database = new Database(join(folder, 'fairgate.db'))
  database.query(text).run(...values)
  database.close()
}

const addTeam = (folder: string, alias: string) =>
  change(
    folder,
    `insert into teams (team_id, alias, models, budget_anchor, metadata, informational, created_at, updated_at, created_by, updated_by, version, granted_nano)
      values (?, ?, '[]', 1000, '{}', '{}', 1000, 1000, 'admin', 'admin', 0, 0)`,
    [`team-${alias.length}`, alias],
  )

const steps: string[] = []
function copy(
  dataFolder: string,
  databaseUrl: string,
  changes: Partial<CopyInput> = {},
): Promise<CopyReport> {
  return copyDatabase({
    dataFolder,
    databaseUrl,
    mode: 'copy',
    startOver: false,
    now: () => new Date('2026-11-21T09:00:00Z'),
    stopwatch: () => performance.now(),
    report: step => steps.push(step),
    ...changes,
  })
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const run = (url: string, text: string) => withClient(url, async client => (await client.query(text)).rows)

const digestOf = (folder: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'fairgate.db')))
    .digest('hex')

test('every table is copied', async () => {
  const { db, close } = await openTestDatabase()
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  await close()
  expect(tables.filter(name => !tableNames.some(known => known === name))).toEqual([])
})

describe('refused before the target is asked', () => {
  test('a folder without a database', async () => {
    expect((await failureOf(copy(join(place.folder, 'none'), 'postgres://a/b'))).message).toContain(
      'There is no database',
    )
  })

  test('a folder that a server uses', async () => {
    const folder = await createFolder('locked')
    const lock = lockDataFolder(folder)
    expect((await failureOf(copy(folder, 'postgres://a/b'))).message).toContain(
      'Another Fairgate process uses',
    )
    lock.release()
  })

  test.each([
    ['newer', "insert into kysely_migration values ('999-later', '')", 'written by a newer version'],
    ['foreign', 'drop table kysely_migration', 'is no database of Fairgate'],
  ])('a database that is %s, which is left as it was', async (name, text, message) => {
    const folder = await createFolder(name)
    change(folder, text)
    const before = digestOf(folder)
    expect((await failureOf(copy(folder, 'postgres://a/b'))).message).toContain(message)
    expect(digestOf(folder)).toBe(before)
  })

  test('a target that cannot be reached', async () => {
    const folder = await createFolder('unreachable')
    const failure = await failureOf(copy(folder, 'postgres://nobody@127.0.0.1:1/none'))
    expect(failure.message).toContain('The target cannot be reached')
  })
})

if (postgres !== null) {
  test('a folder that was used for everything: copied, compared, and used on PostgreSQL', async () => {
    const { DATABASE_URL: _other, ...variables } = place.variables
    const server = await startServer(variables)
    const manage = createManagement(server.adminUrl, adminKey)
    const key = await manage.team('red', { max_budget: 50, team_alias: odd.replaceAll('\\x00', '') })
    const { token } = await manage.token('red')
    const chat = (gatewayUrl: string, repeat: string) =>
      fetch(`${gatewayUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'idempotency-key': repeat,
        },
        body: JSON.stringify({
          model: 'mm-2.5-flash',
          messages: [{ role: 'user', content: odd }],
          max_tokens: 4,
        }),
      })
    const first = await (await chat(server.gatewayUrl, 'first')).text()
    const prompts = [odd, 'with \u0000 within', 'plain']
    const entries = prompts.map(prompt => ({ ...sampleEntry, prompt }))
    expect((await ingest(server.logbookUrl, token, entries)).status).toBe(202)
    const { id: videoId } = await createVideoClient(server.gatewayUrl, key).make()
    await manage.call('POST', '/team/update', { team_id: 'red', max_budget: 60 })
    const storedEntries = await readAllEntries(server.logbookUrl, token)
    await server.stop()

    const url = await createTarget()
    const before = [digestOf(place.dataFolder), readdirSync(place.dataFolder).length]
    expect(await copy(place.dataFolder, url, { mode: 'plan' })).toMatchObject({
      outcome: 'would_copy',
      target: 'empty',
    })
    expect(
      await run(url, 'select 1 from pg_class where relnamespace = current_schema()::regnamespace'),
    ).toEqual([])
    const report = await copy(place.dataFolder, url)
    expect(report).toMatchObject({
      outcome: 'copied',
      target: 'empty',
      differences: [],
      broken_chains: [],
      wrong_totals: [],
    })
    expect(report.tables.every(({ digest }) => digest !== null)).toBe(true)
    expect(report.to).not.toContain('fairgate@')
    expect(report.files_left.map(({ path }) => path)).toEqual(['join-key', 'videos/'])
    expect([digestOf(place.dataFolder), readdirSync(place.dataFolder).length]).toEqual(before)
    const charges = await readCharges({ ...place, databaseUrl: null }, 'red')
    const again = await copy(place.dataFolder, url)
    expect(again).toMatchObject({ outcome: 'verified', target: 'finished_copy', differences: [] })
    expect(again.tables.map(({ digest }) => digest)).toEqual(report.tables.map(({ digest }) => digest))

    const moved = await startServer({ ...variables, DATABASE_URL: url })
    try {
      const movedManage = createManagement(moved.adminUrl, adminKey)
      expect(await (await chat(moved.gatewayUrl, 'first')).text()).toBe(first)
      const { team_info } = await movedManage.teamInfo('red')
      expect(Math.round(team_info.spend * 1e9)).toBe(
        charges.reduce((sum, charge) => sum + charge.cost_nano, 0),
      )
      expect(await readAllEntries(moved.logbookUrl, token)).toEqual(storedEntries)
      const content = await createVideoClient(moved.gatewayUrl, key).get(`/${videoId}/content`)
      expect(content.status).toBe(200)
      expect((await chat(moved.gatewayUrl, 'second')).status).toBe(200)
      expect((await ingest(moved.logbookUrl, token, [{ ...sampleEntry, prompt: 'after' }])).status).toBe(202)
      expect((await movedManage.verifyLog('red')).ok).toBe(true)
      expect(
        (await movedManage.call('POST', '/team/update', { team_id: 'red', max_budget: 70 })).status,
      ).toBe(200)
    } finally {
      await moved.stop()
    }
    const later = await copy(place.dataFolder, url, { mode: 'verify' })
    expect(later.differences.map(({ table, problem }) => `${table} ${problem}`)).toContain('charges extra')
    expect(
      later.differences.find(({ table, problem }) => table === 'entries' && problem === 'extra')?.key,
    ).toBe('team_id=red seq=4')
  })

  test('killed at three places, a page of the killed one still waiting, then cut off: gone on, whole, nothing twice', async () => {
    const folder = await createFolder('killed')
    const { db, close } = await openTestDatabase(join(folder, 'fairgate.db'))
    const total = 10_000
    for (let first = 0; first < total; first += 1000) {
      const entries = Array.from({ length: 1000 }, (_, index) =>
        buildEntryToAppend(`${first + index}`, { text: odd }),
      )
      await appendEntries(db, {
        now: 1_000_000,
        requests: [{ teamId: 'red', sender, entries: packTestEntries(entries) }],
      })
    }
    await close()
    const url = await createTarget()
    const spawn = () =>
      Bun.spawn([process.execPath, program, 'database', 'copy', '--from', folder, '--json'], {
        env: { PATH: process.env.PATH ?? '', DATABASE_URL: url },
        stdout: 'pipe',
        stderr: 'pipe',
      })
    const watcher = new Client({ connectionString: url })
    const neighbour = new Client({ connectionString: url })
    await watcher.connect()
    await neighbour.connect()
    /** Asks until there is an answer. */
    const when = async (text: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const rows = await watcher.query(text).then(
          result => result.rows,
          () => [],
        )
        if (rows.length > 0) return rows[0]
        await Bun.sleep(2)
      }
    }
    /** The connection whose page is held back, and that is none of `others`. */
    const heldBack = async (...others: unknown[]) => {
      const text = `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like 'with page%'
        and datname = current_database() and pid not in (${[0, ...others].join(', ')})`
      return (await when(text)).pid
    }
    const copiedEntries = `select (positions::json -> 'entries' ->> 'rows')::int as rows from database_copy`

    const early = spawn()
    await when('select 1 from database_copy')
    early.kill('SIGKILL')
    await early.exited

    const second = spawn()
    await when('select 1 from database_copy where positions is not null')
    second.kill('SIGKILL')
    await second.exited
    const reached = (await watcher.query(copiedEntries)).rows[0]?.rows ?? 0
    expect(reached).toBeLessThan(total - 2000)

    // A row with the same key that is not committed holds the page back that has it.
    await neighbour.query('begin')
    await neighbour.query(
      `insert into entries (team_id, seq, ts_micros, received_micros, tool_key, event_key, identity, chain, body_bytes, token_id, late, body)
        values ('red', ${total - 100}, 0, 0, '', '', '', '', 0, '', 0, '')`,
    )
    const third = spawn()
    const ofThird = await heldBack()
    third.kill('SIGKILL')
    await third.exited
    const { rows } = (await watcher.query(copiedEntries)).rows[0]
    expect(rows).toBeGreaterThanOrEqual(2000)
    expect(rows).toBeLessThan(total)
    expect(await copy(folder, url, { mode: 'plan' }).catch((error: Error) => error.message)).toMatchObject({
      outcome: 'would_go_on',
      target: 'unfinished_copy',
    })

    const server = startServer({ ...place.variables, DATABASE_URL: url })
    expect((await failureOf(server)).message).toContain('unfinished copy of')

    // The page of the killed one still waits: the next one ends it, and here loses its own connection.
    const cut = spawn()
    const ofCut = await heldBack(ofThird)
    await watcher.query('select pg_terminate_backend($1)', [ofCut])
    expect(await new Response(cut.stderr).text()).toContain('run the same command again to go on')
    expect(await cut.exited).toBe(1)

    const last = spawn()
    const said = new Response(last.stdout).json()
    await heldBack(ofThird, ofCut)
    await neighbour.query('rollback')
    const report = (await said) as CopyReport
    expect(await last.exited).toBe(0)
    expect(report).toMatchObject({
      outcome: 'copied',
      target: 'unfinished_copy',
      differences: [],
      broken_chains: [],
    })
    const entries = report.tables.find(({ table }) => table === 'entries')
    expect(entries).toMatchObject({ rows: total, copied_before: rows })
    expect(await run(url, 'select count(*)::int as rows from entries')).toEqual([{ rows: total }])
    await watcher.end()
    await neighbour.end()
  })

  test('every kind of value: 64-bit integers, answers of 32 MiB, entries of 4 MiB, odd texts and bytes', async () => {
    const folder = await createFolder('values')
    const bytes = new Uint8Array(32 * 1024 * 1024).map((_, index) => index * 31)
    const text = `${odd}${'é'.repeat(2 * 1024 * 1024)}`
    addTeam(folder, odd)
    for (const [name, body] of [
      ['large', bytes],
      ['empty', new Uint8Array()],
      ['none', null],
    ] as const)
      change(
        folder,
        `insert into idempotent_calls (team_id, key_hash, idempotency_key, route, body_digest, call_id, created_at, expires_at, status, reply_bytes, headers, body)
          values ('red', 'key', ?, '/r', 'd', 'c', -9223372036854775808, 9223372036854775807, 200, 1, ?, ?)`,
        [name, odd, body],
      )
    change(
      folder,
      `insert into entries (team_id, seq, ts_micros, received_micros, tool_key, event_key, identity, chain, body_bytes, token_id, late, body, salt)
        values (?, 9007199254740993, -1, 0, '', '', '', '', 0, '', 0, ?, ?)`,
      [odd, text, new Uint8Array([0, 1, 255])],
    )
    change(
      folder,
      `insert into audit (id, at, actor, action, team_id, target, before, after) values (7, 1, 'a', 'b', 'c', 'd', null, ?)`,
      [odd],
    )
    change(
      folder,
      `insert into audit (id, at, actor, action, team_id, target, before, after) values (9, 1, 'a', 'b', 'c', 'd', null, null)`,
    )
    change(folder, 'delete from audit where id = 9')
    const url = await createTarget()
    const report = await copy(folder, url)
    expect(report.differences).toEqual([])
    const [team] = await run(url, 'select alias from teams')
    expect(team).toEqual({ alias: odd })
    const [entry] = await run(url, 'select seq::text as seq, team_id, body, salt from entries')
    expect(entry).toEqual({
      seq: '9007199254740993',
      team_id: odd,
      body: text,
      salt: Buffer.from([0, 1, 255]),
    })
    const calls = await run(
      url,
      `select idempotency_key as name, created_at::text as low, expires_at::text as high, sha256(body) as hash from idempotent_calls order by 1`,
    )
    const hash = (body: Uint8Array) => createHash('sha256').update(body).digest()
    const [low, high] = ['-9223372036854775808', '9223372036854775807']
    expect(calls).toEqual([
      { name: 'empty', low, high, hash: hash(new Uint8Array()) },
      { name: 'large', low, high, hash: hash(bytes) },
      { name: 'none', low, high, hash: null },
    ])
    // The next number is one that the source never gave to a row, also to one that is gone.
    const next = await run(
      url,
      `insert into audit (at, actor, action, team_id, target) values (1, '', '', '', '') returning id::int`,
    )
    expect(next).toEqual([{ id: 10 }])
  })

  test('a folder that a crash left: what is only in the log is copied too, and the log stays', async () => {
    const running = await createFolder('running')
    const database = new Database(join(running, 'fairgate.db'))
    database.run('PRAGMA journal_mode = WAL')
    database.run(
      "insert into boards (team_id, locked, head_seq, head_chain, updated_at, head_received_micros) values ('red', 0, 0, '', 0, 0)",
    )
    const crashed = join(place.folder, 'crashed')
    cpSync(running, crashed, { recursive: true })
    database.close()
    const log = readFileSync(join(crashed, 'fairgate.db-wal'))
    expect(log.length).toBeGreaterThan(0)
    const url = await createTarget()
    expect((await copy(crashed, url)).differences).toEqual([])
    expect(await run(url, 'select team_id from boards')).toEqual([{ team_id: 'red' }])
    expect(readFileSync(join(crashed, 'fairgate.db-wal')).equals(log)).toBe(true)
    await run(url, 'update database_copy set finished_at = null')
    expect(await copy(crashed, url)).toMatchObject({ target: 'unfinished_copy', differences: [] })
  })

  test('a process of the source has no lease on PostgreSQL', async () => {
    const folder = await createFolder('processes')
    change(
      folder,
      "insert into processes (process_id, slot, lease_until, started_at, version) values ('p', 0, 9007199254740991, 1, '1')",
    )
    const url = await createTarget()
    expect((await copy(folder, url)).differences).toEqual([])
    expect(await run(url, 'select process_id, lease_until::int from processes')).toEqual([
      { process_id: 'p', lease_until: 0 },
    ])
  })

  test.each([['the character U+0000', 'a\u0000b', 'its column alias has the character U+0000']])(
    'a value that PostgreSQL cannot hold is named: %s',
    async (_, alias, message) => {
      const folder = await createFolder('nul')
      addTeam(folder, 'fine')
      addTeam(folder, alias)
      const url = await createTarget()
      const failure = await failureOf(copy(folder, url))
      expect(failure.message).toContain(
        'The row team_id=team-3 of the table teams does not fit into PostgreSQL',
      )
      expect(failure.message).toContain(message)
      // Corrected, it is another source.
      change(folder, "update teams set alias = 'better'")
      utimesSync(join(folder, 'fairgate.db'), new Date(), new Date(Date.now() + 5000))
      expect((await failureOf(copy(folder, url))).message).toContain('Copy it again with --start-over')
      expect(await copy(folder, url, { startOver: true })).toMatchObject({
        outcome: 'copied',
        differences: [],
      })
    },
  )

  test('an integer that is too large for its column is named', async () => {
    const folder = await createFolder('range')
    change(
      folder,
      "insert into processes (process_id, slot, lease_until, started_at, version) values ('p', 4294967296, 0, 1, '1')",
    )
    const failure = await failureOf(copy(folder, await createTarget()))
    expect(failure.message).toContain(
      'The row process_id=p of the table processes does not fit into PostgreSQL',
    )
    expect(failure.message).toContain('out of range')
  })

  test('what is wrong in the source is copied as it is, and told', async () => {
    const folder = await createFolder('wrong')
    const { db, close } = await openTestDatabase(join(folder, 'fairgate.db'))
    await appendEntries(db, {
      now: 1_000_000,
      requests: [
        {
          teamId: 'red',
          sender,
          entries: packTestEntries(['1', '2', '3'].map(name => buildEntryToAppend(name))),
        },
      ],
    })
    await close()
    change(folder, "update entries set body = '{}' where seq = 2")
    change(
      folder,
      "insert into totals (team_id, owner, slot, period_start, spent_nano, lifetime_nano, version) values ('red', 'team:red', 0, 0, 5, 12, 1)",
    )
    expect(await copy(folder, await createTarget())).toMatchObject({
      differences: [],
      broken_chains: [{ teamId: 'red', seq: 2 }],
      wrong_totals: [{ owner: 'team:red', total_nano: '12', charges_nano: '0' }],
    })
  })

  test('rows that differ, are missing, or are in the target alone are named', async () => {
    const folder = await createFolder('differing')
    for (const alias of ['a', 'bb', 'ccc']) addTeam(folder, alias)
    const url = await createTarget()
    await copy(folder, url)
    await run(url, "update teams set alias = 'x', updated_at = 5 where alias = 'a'")
    await run(url, "delete from teams where alias = 'bb'")
    await run(url, "insert into boards values ('new', 0, null, 0, '', 0, 0)")
    const { outcome, differences, tables } = await copy(folder, url, { mode: 'verify' })
    expect(outcome).toBe('verified')
    expect(differences).toEqual([
      { table: 'teams', key: 'team_id=team-1', problem: 'differs', columns: ['alias', 'updated_at'] },
      { table: 'teams', key: 'team_id=team-2', problem: 'missing', columns: [] },
      { table: 'boards', key: 'team_id=new', problem: 'extra', columns: [] },
    ])
    expect(tables.filter(({ digest }) => digest === null).map(({ table }) => table)).toEqual([
      'teams',
      'boards',
    ])
  })

  describe('refused by what the target is', () => {
    let folder = ''
    beforeAll(async () => {
      folder = await createFolder('refused')
      addTeam(folder, 'red')
    })

    test.each([
      [
        'of another program',
        'create table customers (id int)',
        'belongs to another program: it has a table customers',
      ],
      [
        'newer',
        "create table kysely_migration (name text, timestamp text); insert into kysely_migration values ('999-later', '')",
        'written by a newer version of Fairgate',
      ],
    ])('%s; nothing is made there', async (_, text, message) => {
      const url = await createTarget()
      await run(url, text)
      expect((await failureOf(copy(folder, url))).message).toContain(message)
      expect(await run(url, "select 1 from pg_class where relname = 'process_epoch'")).toEqual([])
    })

    test('used by a server before; a database that a server has only migrated is empty', async () => {
      const used = await createTarget()
      const other = await createFolder('other')
      await copy(other, used)
      await run(used, 'drop table database_copy')
      expect(await copy(folder, used, { mode: 'plan' })).toMatchObject({
        outcome: 'would_copy',
        target: 'empty',
      })
      await run(used, "insert into boards values ('new', 0, null, 0, '', 0, 0)")
      for (const mode of ['copy', 'plan'] as const)
        expect((await failureOf(copy(folder, used, { mode }))).message).toContain('its table boards has rows')
    })

    test('in use, by a process with the lock or by one with a lease', async () => {
      const url = await createTarget()
      const lock = await holdDatabaseLock(url)
      for (const mode of ['plan', 'copy'] as const)
        expect((await failureOf(copy(folder, url, { mode }))).message).toContain(
          'or another copy, holds its lock',
        )
      await lock.release()
      await copy(folder, url)
      await run(
        url,
        "insert into processes (process_id, slot, lease_until, started_at, version) values ('p', 0, 9007199254740991, 1, '1')",
      )
      const failure = await failureOf(copy(folder, url, { mode: 'verify' }))
      expect(failure.message).toContain('The target is in use: the Fairgate process p runs on it')
    })

    test('nothing there to compare, an unfinished copy, the copy of another folder, a finished one to start over', async () => {
      const url = await createTarget()
      expect((await failureOf(copy(folder, url, { mode: 'verify' }))).message).toContain(
        'The target is empty',
      )
      const other = await createFolder('another')
      addTeam(other, 'blue and green')
      await copy(other, url)
      expect((await failureOf(copy(other, url, { startOver: true }))).message).toContain(
        'holds a finished copy',
      )
      await run(url, 'update database_copy set finished_at = null')
      expect((await failureOf(copy(other, url, { mode: 'verify' }))).message).toContain(
        'without --verify-only',
      )
      const backups = createBackups('9.8.7', () => new Date())
      const backup = backups.create(join(place.folder, 'backup'), { DATABASE_URL: url }, () => undefined)
      expect((await failureOf(backup)).message).toContain('holds an unfinished copy')
      expect((await failureOf(copy(folder, url))).message).toContain(
        `holds an unfinished copy of ${join(other, 'fairgate.db')}, not of ${join(folder, 'fairgate.db')}`,
      )
      expect(await copy(other, url)).toMatchObject({
        outcome: 'copied',
        target: 'unfinished_copy',
        differences: [],
      })
      await run(url, 'update database_copy set finished_at = null')
      expect(await copy(folder, url, { startOver: true })).toMatchObject({
        outcome: 'copied',
        differences: [],
      })
      expect(await run(url, 'select alias from teams')).toEqual([{ alias: 'red' }])
    })

    test('a folder that was moved to another place meanwhile is the same source', async () => {
      const url = await createTarget()
      await copy(folder, url)
      await run(url, 'update database_copy set finished_at = null')
      const movedTo = join(place.folder, 'moved')
      cpSync(folder, movedTo, { recursive: true, preserveTimestamps: true })
      expect(await copy(movedTo, url)).toMatchObject({ target: 'unfinished_copy', outcome: 'copied' })
    })
  })
}
