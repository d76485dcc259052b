// suite: test on sqlite and postgres; 55 s
// Backups end to end: taken while calls and entries come in, restored into both engines and used there, and refused if invalid.
//
// The move to PostgreSQL was shown to fail without the comparison of values (`requireSameValues`), with numbers instead of bigint ('read exactly'), in
// the order of PostgreSQL's own collation, without `declaredDead`, and with `continueNumbers` left out.
import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../src/main.ts'
import { createBackups } from '../src/operate/backup/backups.ts'
import { openPostgres } from '../src/operate/backup/open-databases.ts'
import { tableNames } from '../src/operate/backup/tables.ts'
import { migrate } from '../src/store/migrations/migrate.ts'
import { appendEntries } from '../src/store/statements/append-entries.ts'
import { buildPackedEntries, sender } from '../src/store/testing/build-entry-to-append.ts'
import { createTestPostgres, findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { failureOf } from '../src/store/testing/failure-of.ts'
import { openTestDatabase } from '../src/store/testing/open-test-database.ts'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createManagement } from './testing/management.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges, readCorrections, runStored, sumCost, untilSwept } from './testing/stored-rows.ts'

const backups = createBackups('9.8.7', () => new Date('2026-11-21T09:00:00Z'))
const silent = () => undefined

let place: Surroundings
let folder = ''
let key = ''
let token = ''
let videoId = ''
const steps: string[] = []
/** Answered and acknowledged before the backup began. */
let chargesBefore = 0
let entriesBefore = 0

/** Of a stored response. */
const storedText = 'What only the team may read'

const chat = (gatewayUrl: string) =>
  fetch(`${gatewayUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 4,
    }),
  })

beforeAll(async () => {
  place = await createSurroundings()
  folder = join(place.folder, 'backups', 'first')
  const server = await startServer(place.variables)
  const manage = createManagement(server.adminUrl, adminKey)
  key = await manage.team('red', { max_budget: 50 })
  token = (await manage.token('red')).token
  const write = (name: string) => ingest(server.logbookUrl, token, [{ ...sampleEntry, prompt: name }])
  for (let turn = 0; turn < 5; turn += 1) {
    expect((await chat(server.gatewayUrl)).status).toBe(200)
    expect((await write(`before ${turn}`)).status).toBe(202)
  }
  const stored = await fetch(`${server.gatewayUrl}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mm-2.5-flash', input: storedText }),
  })
  expect(await stored.json()).toMatchObject({ store: true })
  videoId = (await createVideoClient(server.gatewayUrl, key).make()).id
  // Its copy is made after it has reported ready.
  const copy = join(place.dataFolder, 'videos', `${videoId}.mp4`)
  while (!existsSync(copy)) await Bun.sleep(5)
  chargesBefore = (await readCharges(place, 'red')).length
  entriesBefore = 5
  let isDone = false
  const load = async () => {
    for (let turn = 0; !isDone; turn += 1) {
      expect((await chat(server.gatewayUrl)).status).toBe(200)
      expect((await write(`during ${turn}`)).status).toBe(202)
    }
  }
  const running = load()
  await backups.create(folder, place.variables, step => steps.push(step))
  isDone = true
  await running
  await server.stop()
})
afterAll(() => place.remove())

/** Starts on the restored data and reads it as users would. */
async function useRestored(variables: Readonly<Record<string, string>>): Promise<void> {
  // It is in no backup.
  const server = await startServer({
    ...variables,
    FAIRGATE_JOIN_KEY_FILE: join(place.dataFolder, 'join-key'),
  })
  try {
    const manage = createManagement(server.adminUrl, adminKey)
    const { team_info } = await manage.teamInfo('red')
    const restored = {
      dataFolder: variables.FAIRGATE_DATA_DIR ?? '',
      databaseUrl: variables.DATABASE_URL ?? null,
    }
    const charges = await readCharges(restored, 'red')
    expect(charges.length).toBeGreaterThanOrEqual(chargesBefore)
    expect(Math.round(team_info.spend * 1e9)).toBe(charges.reduce((sum, charge) => sum + charge.cost_nano, 0))
    const entries = await readAllEntries(server.logbookUrl, token)
    expect(entries.length).toBeGreaterThanOrEqual(entriesBefore)
    expect((await manage.verifyLog('red')).ok).toBe(true)
    const content = await createVideoClient(server.gatewayUrl, key).get(`/${videoId}/content`)
    expect([content.status, (await content.arrayBuffer()).byteLength > 1000]).toEqual([200, true])
    // It continues from there: charges, entries, the audit's numbers.
    expect((await chat(server.gatewayUrl)).status).toBe(200)
    expect((await ingest(server.logbookUrl, token, [{ ...sampleEntry, prompt: 'after' }])).status).toBe(202)
    expect((await manage.verifyLog('red')).ok).toBe(true)
    expect((await manage.call('POST', '/team/update', { team_id: 'red', max_budget: 60 })).status).toBe(200)
    const audit = await runStored<{ action: string }>(restored, 'select action from audit order by id', [])
    expect(audit.length).toBeGreaterThan(3)
  } finally {
    await server.stop()
  }
}

const elsewhere = (name: string, databaseUrl: string | null) => {
  const { DATABASE_URL: _own, ...variables } = place.variables
  const target = { ...variables, FAIRGATE_DATA_DIR: join(place.folder, name) }
  return databaseUrl === null ? target : { ...target, DATABASE_URL: databaseUrl }
}

test('a backup contains everything, is private to its owner, and lists its contents', async () => {
  expect(readdirSync(folder).sort()).toEqual(['fairgate.db', 'manifest.json', 'videos'])
  for (const path of ['fairgate.db', 'manifest.json', `videos/${videoId}.mp4`])
    expect(statSync(join(folder, path)).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const { manifest, brokenChains } = await backups.verify(folder, silent)
  expect(manifest).toMatchObject({ version: '9.8.7', created_at: '2026-11-21T09:00:00.000Z' })
  expect(manifest.tables.teams).toBe(1)
  expect(manifest.tables.entries).toBeGreaterThanOrEqual(entriesBefore)
  expect(brokenChains).toEqual([])
  expect(steps.join('\n')).toContain('checking the entries of red')
})

// Fails if the copy is not rewritten after its rows are deleted: their text is still in its free pages then.
test('stored responses are in no backup unless the settings say so', async () => {
  const countIn = (path: string) => {
    const database = new Database(join(path, 'fairgate.db'), { readonly: true })
    const row = database.query('select count(*) as rows from stored_responses').get()
    database.close()
    return row
  }
  expect(countIn(folder)).toEqual({ rows: 0 })
  expect(readFileSync(join(folder, 'fairgate.db')).includes(storedText)).toBe(false)
  const settings = join(place.folder, 'with-responses.yaml')
  const own = readFileSync(place.variables.FAIRGATE_CONFIG ?? '', 'utf8')
  writeFileSync(settings, `${own}\nresponses: { in_backups: true }\n`)
  const whole = join(place.folder, 'backups', 'with-responses')
  await backups.create(whole, { ...place.variables, FAIRGATE_CONFIG: settings }, silent)
  expect(countIn(whole)).toEqual({ rows: 1 })
})

test('restored into a new data folder: spend, entries, keys and videos are there, and the server works', async () => {
  const variables = elsewhere('restored', null)
  await backups.restore(folder, variables, silent)
  const started = await startServer(variables).catch((error: Error) => error)
  expect(String(started)).toContain('Restore the key of the first start')
  await useRestored(variables)
})

test('a backup contains every table', async () => {
  const { db, close } = await openTestDatabase()
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  await close()
  expect(tables.filter(name => !tableNames.some(known => known === name))).toEqual([])
})

const postgres = findTestPostgres()
if (postgres !== null) {
  const odd = 'a\t"b"\\N \\. \\x00 {},\r\n\u0001 \u2028 日本 \u{1f680} \u202e ’'
  const drops: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const drop of drops) await drop()
  })

  /** An empty database that is dropped after the last test. */
  const createTarget = async (): Promise<string> => {
    const { url, drop } = await createTestPostgres(postgres, { isEmpty: true })
    drops.push(drop)
    return url
  }
  const ask = <Row>(databaseUrl: string, text: string) =>
    runStored<Row>({ dataFolder: '', databaseUrl }, text, [])

  /** A backup of a SQLite database of the current schema after `fill`. */
  const backUp = async (
    name: string,
    fill: (change: (text: string, ...values: SQLQueryBindings[]) => void) => void,
  ): Promise<string> => {
    const variables = elsewhere(name, null)
    const dataFolder = variables.FAIRGATE_DATA_DIR ?? ''
    mkdirSync(dataFolder)
    const path = join(dataFolder, 'fairgate.db')
    const { db, close } = await openTestDatabase(path)
    await appendEntries(db, {
      now: 1_000_000,
      requests: [{ teamId: 'red', sender, entries: buildPackedEntries('1', '2', '3') }],
    })
    await close()
    const database = new Database(path)
    fill((text, ...values) => void database.query(text).run(...values))
    database.close()
    const backup = join(place.folder, 'backups', name)
    await backups.create(backup, variables, silent)
    return backup
  }
  const addTeam = `insert into teams (team_id, alias, models, budget_anchor, metadata, informational, created_at, updated_at, created_by, updated_by, version, granted_nano)
    values (?, ?, '[]', 1000, '{}', '{}', 1000, 1000, 'admin', 'admin', 0, 0)`

  test('restores into an empty PostgreSQL database only', async () => {
    const url = await createTarget()
    const variables = elsewhere('restored-postgres', url)
    await backups.restore(folder, variables, silent)
    await useRestored(variables)
    const again = await failureOf(backups.restore(folder, elsewhere('another', url), silent))
    expect(again.message).toContain('is in use: its table')
    expect(existsSync(join(place.folder, 'another', 'videos'))).toBe(false)
  })

  test('a data folder moves to PostgreSQL: same figures, files kept, its own database unchanged', async () => {
    const sqlite = elsewhere('moving', null)
    const dataFolder = sqlite.FAIRGATE_DATA_DIR ?? ''
    mkdirSync(join(dataFolder, 'videos'), { recursive: true })
    writeFileSync(join(dataFolder, 'admin-key'), 'an-admin-key-of-before')
    writeFileSync(join(dataFolder, 'videos', 'kept.mp4'), 'a video')
    const backup = join(place.folder, 'backups', 'moving')
    const server = await startServer(sqlite)
    const manage = createManagement(server.adminUrl, adminKey)
    const redKey = await manage.team('red', { max_budget: 50, team_alias: odd.replaceAll('\u0001', '') })
    const redToken = (await manage.token('red')).token
    const call = (gatewayUrl: string, content: string, repeat: string, stream = false) =>
      fetch(`${gatewayUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${redKey}`,
          'content-type': 'application/json',
          ...(stream ? {} : { 'idempotency-key': repeat }),
        },
        body: JSON.stringify({
          model: 'mm-2.5-flash',
          messages: [{ role: 'user', content }],
          max_tokens: 4,
          stream,
        }),
      })
    const first = await (await call(server.gatewayUrl, odd, 'first')).text()
    const refunded = await call(server.gatewayUrl, 'Hi', 'second')
    await refunded.text()
    const callId = refunded.headers.get('x-gateway-call-id') ?? ''
    await manage.change('POST', `/calls/${callId}/refund`, { reason: 'test' })
    const prompts = [odd, 'with \u0000 within', 'plain']
    const entries = prompts.map(prompt => ({ ...sampleEntry, prompt }))
    expect((await ingest(server.logbookUrl, redToken, entries)).status).toBe(202)
    const before = await manage.teamInfo('red')
    const entriesOfRed = await readAllEntries(server.logbookUrl, redToken)
    const chargesOfRed = await readCharges({ dataFolder, databaseUrl: null }, 'red')
    const running = await call(
      server.gatewayUrl,
      '[[sandbox: chunks=3; outputTokens=30; chunkDelayMs=600000]]',
      '',
      true,
    )
    const progress = `select cost_nano from running_calls where cost_nano > 0`
    while ((await runStored({ dataFolder, databaseUrl: null }, progress, [])).length === 0) await Bun.sleep(5)
    await backups.create(backup, sqlite, silent)
    await running.body?.cancel()
    await server.stop()

    const listFolder = () => readdirSync(dataFolder, { recursive: true }).map(String).sort()
    const digest = () =>
      createHash('sha256')
        .update(readFileSync(join(dataFolder, 'fairgate.db')))
        .digest('hex')
    const untouched = [listFolder(), digest()]
    const url = await createTarget()
    const variables = { ...sqlite, DATABASE_URL: url }
    writeFileSync(join(dataFolder, 'videos', 'kept.mp4'), 'another video')
    expect((await failureOf(backups.restore(backup, variables, silent))).message).toContain(
      `${join(dataFolder, 'videos', 'kept.mp4')} differs from the file in the backup`,
    )
    writeFileSync(join(dataFolder, 'videos', 'kept.mp4'), 'a video')
    expect((await backups.restore(backup, variables, silent)).wrongTotals).toEqual([])
    expect([listFolder(), digest()]).toEqual(untouched)
    expect(await ask(url, 'select distinct lease_until::int from processes')).toEqual([{ lease_until: 0 }])

    const moved = await startServer(variables)
    const target = { dataFolder, databaseUrl: url }
    try {
      const movedManage = createManagement(moved.adminUrl, adminKey)
      expect(await (await call(moved.gatewayUrl, odd, 'first')).text()).toBe(first)
      expect(await readAllEntries(moved.logbookUrl, redToken)).toEqual(entriesOfRed)
      await untilSwept(target)
      const charges = await readCharges(target, 'red')
      const isNew = (charge: (typeof charges)[number]) =>
        !chargesOfRed.some(({ call_id }) => call_id === charge.call_id)
      expect(charges.filter(charge => !isNew(charge))).toEqual(chargesOfRed)
      const interrupted = charges.filter(isNew)
      expect(interrupted.map(({ outcome }) => outcome)).toEqual(['interrupted'])
      const after = await movedManage.teamInfo('red')
      const spent = sumCost([...charges, ...(await readCorrections(target, 'red'))])
      expect(Math.round(after.team_info.spend * 1e9)).toBe(spent)
      expect(Math.round(before.team_info.spend * 1e9)).toBe(spent - sumCost(interrupted))
      const { team_alias, max_budget, created_at } = before.team_info
      expect(after.team_info).toMatchObject({ team_alias, max_budget, created_at })
      expect((await ingest(moved.logbookUrl, redToken, [{ ...sampleEntry, prompt: 'after' }])).status).toBe(
        202,
      )
      expect(await movedManage.verifyLog('red')).toMatchObject({ ok: true })
      expect(await (await movedManage.call('GET', '/spend/verify')).json()).toMatchObject({ ok: true })
    } finally {
      await moved.stop()
    }
    expect(digest()).toBe(untouched[1] as string)
  })

  test('every kind of value is restored: 64-bit integers, answers of 32 MiB, entries of 4 MiB, odd texts, bytes, any order of texts', async () => {
    const bytes = new Uint8Array(Buffer.alloc(32 * 1024 * 1024, '0123456789'))
    const text = `${odd}${'é'.repeat(2 * 1024 * 1024)}`
    const bodies = [
      ['B', bytes],
      ['a', new Uint8Array()],
      ['é', null],
    ] as const
    const backup = await backUp('values', change => {
      change(addTeam, odd, odd)
      for (const [name, body] of bodies)
        change(
          `insert into idempotent_calls (team_id, key_hash, idempotency_key, route, body_digest, call_id, created_at, expires_at, status, reply_bytes, headers, body)
            values ('red', 'key', ?, '/r', 'd', 'c', -9223372036854775808, 9223372036854775807, 200, 1, ?, ?)`,
          name,
          odd,
          body,
        )
      change(
        `insert into entries (team_id, seq, ts_micros, received_micros, tool_key, event_key, identity, chain, body_bytes, token_id, late, body, salt)
          values (?, 9007199254740993, -1, 0, '', '', '', '', 0, '', 0, ?, ?)`,
        odd,
        text,
        new Uint8Array([0, 1, 255]),
      )
      change(`insert into audit (id, at, actor, action, team_id, target) values (7, 1, 'a', 'b', 'c', 'd')`)
    })
    const url = await createTarget()
    // As a server leaves it after migration only. No other engine has its text order.
    await migrateTarget(
      url,
      'alter table idempotent_calls alter idempotency_key type text collate "und-x-icu"',
    )
    await backups.restore(backup, elsewhere('values-restored', url), silent)
    expect(await ask(url, `select seq::text as seq, body, salt from entries where seq > 3`)).toEqual([
      { seq: '9007199254740993', body: text, salt: Buffer.from([0, 1, 255]) },
    ])
    const hash = (body: Uint8Array) => createHash('sha256').update(body).digest()
    const [low, high] = ['-9223372036854775808', '9223372036854775807']
    expect(
      await ask(
        url,
        `select idempotency_key as name, created_at::text as low, expires_at::text as high, sha256(body) as hash from idempotent_calls order by 1`,
      ),
    ).toEqual([
      { name: 'a', low, high, hash: hash(new Uint8Array()) },
      { name: 'B', low, high, hash: hash(bytes) },
      { name: 'é', low, high, hash: null },
    ])
    expect(
      await ask(
        url,
        `insert into audit (at, actor, action, team_id, target) values (1, '', '', '', '') returning id::int`,
      ),
    ).toEqual([{ id: 8 }])
    // And back, just as exactly.
    const back = join(place.folder, 'backups', 'back')
    await backups.create(back, elsewhere('values-restored', url), silent)
    const database = new Database(join(back, 'fairgate.db'), { readonly: true, safeIntegers: true })
    expect(database.query('select seq from entries where seq > 3').all()).toEqual([
      { seq: 9007199254740993n },
    ])
    database.close()
  })

  test.each([
    ['a text', 'teams', "new.alias := 'x'; return new"],
    ['a nano-dollar', 'totals', 'new.lifetime_nano := new.lifetime_nano + 1; return new'],
    ['a missing row', 'entries', 'if new.seq = 2 then return null; end if; return new'],
  ])('a value that changes on the way fails the restore and leaves nothing: %s', async (_, table, change) => {
    const url = await createTarget()
    await migrateTarget(
      url,
      `create function alter_row() returns trigger language plpgsql as $$ begin ${change}; end $$;
        create trigger altered before insert on ${table} for each row execute function alter_row()`,
    )
    const target = elsewhere('altered', url)
    expect((await failureOf(backups.restore(folder, target, silent))).message).toContain(
      `The table ${table} in the database differs from the backup`,
    )
    expect(
      await ask(
        url,
        'select (select count(*) from teams)::int + (select count(*) from entries)::int as rows',
      ),
    ).toEqual([{ rows: 0 }])
    expect(readdirSync(target.FAIRGATE_DATA_DIR ?? '')).toEqual(['fairgate.lock'])
  })

  test('existing faults are restored unchanged and reported', async () => {
    const backup = await backUp('wrong', change => {
      change("update entries set body = '{}' where seq = 2")
      change(
        "insert into totals (team_id, owner, slot, period_start, spent_nano, lifetime_nano, version) values ('red', 'team:red', 0, 0, 5, 12, 1)",
      )
    })
    expect(
      await backups.restore(backup, elsewhere('wrong-restored', await createTarget()), silent),
    ).toMatchObject({
      brokenChains: [{ teamId: 'red', seq: 2 }],
      wrongTotals: [{ owner: 'team:red', total_nano: 12, rows_nano: 0 }],
    })
  })

  const addProcess =
    "insert into processes (process_id, slot, lease_until, started_at, version) values ('p', ?, 0, 1, '1')"
  test.each<[string, string, SQLQueryBindings[], string, string]>([
    [
      'a text with U+0000',
      addTeam,
      ['nul', 'a\u0000b'],
      'team_id=nul of the table teams',
      'alias has the character U+0000',
    ],
    [
      'a text for an integer',
      addProcess,
      ['one'],
      'process_id=p of the table processes',
      'type integer: "one"',
    ],
    [
      'an integer beyond its column',
      addProcess,
      [4_294_967_296],
      'process_id=p of the table processes',
      'out of range',
    ],
  ])('names a value that PostgreSQL cannot store: %s', async (name, text, values, row, reason) => {
    const backup = await backUp(name, change => {
      change(addTeam, 'fine', 'fine')
      change(text, ...values)
    })
    const url = await createTarget()
    const { message } = await failureOf(backups.restore(backup, elsewhere(`${name} restored`, url), silent))
    expect(message).toContain(`The row ${row} does not fit into PostgreSQL`)
    expect(message).toContain(reason)
    expect(await ask(url, 'select team_id from teams')).toEqual([])
  })

  test("another program's database stays unchanged", async () => {
    const url = await createTarget()
    await ask(url, 'create table customers (id int)')
    expect((await failureOf(backups.restore(folder, elsewhere('foreign', url), silent))).message).toContain(
      'belongs to another program: it has a table customers',
    )
    expect(
      await ask(url, "select relname from pg_class where relnamespace = 'public'::regnamespace"),
    ).toEqual([{ relname: 'customers' }])
  })

  /** Has the tables of a server that has only started, and then `text`. */
  async function migrateTarget(url: string, text: string): Promise<void> {
    await using db = openPostgres(url, 'test')
    await migrate(db)
    await ask(url, text)
  }
}

describe('refused', () => {
  test('a backup into an existing folder', async () => {
    await expect(backups.create(folder, place.variables, silent)).rejects.toThrow('already exists')
  })

  test('a backup without data, which leaves nothing behind', async () => {
    const target = join(place.folder, 'backups', 'none')
    await expect(backups.create(target, elsewhere('nothing', null), silent)).rejects.toThrow(
      'There is no database',
    )
    expect(existsSync(target) || existsSync(`${target}.unfinished`)).toBe(false)
  })

  test('a restore into a used data folder, which stays unchanged', async () => {
    const used = elsewhere('used', null)
    mkdirSync(used.FAIRGATE_DATA_DIR ?? '')
    writeFileSync(join(used.FAIRGATE_DATA_DIR ?? '', 'admin-key'), 'mine')
    await expect(backups.restore(folder, used, silent)).rejects.toThrow('is in use: it has admin-key')
    expect(readFileSync(join(used.FAIRGATE_DATA_DIR ?? '', 'admin-key'), 'utf8')).toBe('mine')
    expect(existsSync(join(used.FAIRGATE_DATA_DIR ?? '', 'fairgate.db'))).toBe(false)
  })

  test('a restore into the folder of a running server', async () => {
    const variables = elsewhere('running', null)
    const server = await startServer(variables)
    await expect(backups.restore(folder, variables, silent)).rejects.toThrow('Another Fairgate process')
    await server.stop()
  })

  test.each([
    ['a byte of the database', 'fairgate.db', 'is not what was written'],
    ['a byte of a video', '', 'is not what was written'],
    ['the manifest', 'manifest.json', 'is not a backup'],
  ])('a backup with missing or changed %s', async (_, name, message) => {
    const copy = join(place.folder, 'copied')
    await Bun.$`cp -r ${folder} ${copy}`.quiet()
    const path = join(copy, name === '' ? `videos/${videoId}.mp4` : name)
    if (name === 'manifest.json') rmSync(path)
    else {
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
      writeFileSync(path, bytes)
    }
    await expect(backups.restore(copy, elsewhere('never', null), silent)).rejects.toThrow(message)
    expect(existsSync(join(place.folder, 'never', 'fairgate.db'))).toBe(false)
    rmSync(copy, { recursive: true })
  })

  test('a backup of another version', async () => {
    const copy = join(place.folder, 'other')
    await Bun.$`cp -r ${folder} ${copy}`.quiet()
    const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8'))
    manifest.migrations.push('999-later')
    writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest))
    await expect(backups.restore(copy, elsewhere('never', null), silent)).rejects.toThrow(
      'by another version',
    )
  })
})
