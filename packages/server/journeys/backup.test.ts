// suite: test on sqlite; full on postgres; 39 s
// Backups rehearsed: taken while calls and entries come in, restored elsewhere, into either engine, and used there; refused where it must be.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBackups } from '../src/backup/backups.ts'
import { startServer } from '../src/main.ts'
import { createTestPostgres, findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createManagement } from './testing/management.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges, runStored } from './testing/stored-rows.ts'

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
  videoId = (await createVideoClient(server.gatewayUrl, key).make()).id
  // Its copy is made after it has been told to be ready.
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

/** Starts on what was restored and looks at it as its users would. */
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
    // It goes on from there: charges, entries, the audit's numbers.
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

test('a backup holds everything, for its owner alone, and says what is in it', async () => {
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

test('restored into a new data folder: spend, entries, keys and videos are there, and it goes on', async () => {
  const variables = elsewhere('restored', null)
  await backups.restore(folder, variables, silent)
  const started = await startServer(variables).catch((error: Error) => error)
  expect(String(started)).toContain('Put the key of the first start there')
  await useRestored(variables)
})

const postgres = findTestPostgres()
if (postgres !== null) {
  test('restored into an empty PostgreSQL database, and into no other', async () => {
    const database = await createTestPostgres(postgres, { isEmpty: true })
    try {
      const variables = elsewhere('restored-postgres', database.url)
      await backups.restore(folder, variables, silent)
      await useRestored(variables)
      const again = backups.restore(folder, elsewhere('another', database.url), silent)
      await expect(again).rejects.toThrow('is in use: its table')
    } finally {
      await database.drop()
    }
  })
}

describe('refused', () => {
  test('a folder that is there, for the backup', async () => {
    await expect(backups.create(folder, place.variables, silent)).rejects.toThrow('is there already')
  })

  test('no data at all, and nothing is left behind', async () => {
    const target = join(place.folder, 'backups', 'none')
    await expect(backups.create(target, elsewhere('nothing', null), silent)).rejects.toThrow(
      'There is no database',
    )
    expect(existsSync(target) || existsSync(`${target}.unfinished`)).toBe(false)
  })

  test('a used data folder, for the restore, which is left as it was', async () => {
    const used = elsewhere('used', null)
    mkdirSync(used.FAIRGATE_DATA_DIR ?? '')
    writeFileSync(join(used.FAIRGATE_DATA_DIR ?? '', 'admin-key'), 'mine')
    await expect(backups.restore(folder, used, silent)).rejects.toThrow('is in use: it has admin-key')
    expect(readFileSync(join(used.FAIRGATE_DATA_DIR ?? '', 'admin-key'), 'utf8')).toBe('mine')
    expect(existsSync(join(used.FAIRGATE_DATA_DIR ?? '', 'fairgate.db'))).toBe(false)
  })

  test('the folder of a running server', async () => {
    const variables = elsewhere('running', null)
    const server = await startServer(variables)
    await expect(backups.restore(folder, variables, silent)).rejects.toThrow('Another Fairgate process')
    await server.stop()
  })

  test.each([
    ['a byte of the database', 'fairgate.db', 'is not what was written'],
    ['a byte of a video', '', 'is not what was written'],
    ['the manifest', 'manifest.json', 'is no backup'],
  ])('a backup that lacks or has changed %s', async (_, name, message) => {
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

  test('one of another version', async () => {
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
