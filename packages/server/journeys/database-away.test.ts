// suite: test on sqlite; full on postgres; 16 s
// The database becomes unreachable or damaged under a running server: every documented route of every door answers, and none with 500.

import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { closeSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { judgingSetupExample } from '@fairgate/contracts/judging/setup.ts'
import { Client } from 'pg'
import { startServer } from '../src/main.ts'
import { findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { type CutProxy, startCutProxy } from './testing/cut-proxy.ts'
import {
  buildWorkingRequest,
  codeOf,
  credentialFor,
  type DoorName,
  type DoorRoute,
  doorNames,
  isPassThrough,
  listDoorRoutes,
  longPhase,
  type NamedValues,
  needsJudging,
  prepareMember,
  readReply,
} from './testing/door-routes.ts'
import { ingest, readAllEntries, sampleEntry } from './testing/logbook-client.ts'
import { makeCall } from './testing/make-call.ts'
import { createVideoClient } from './testing/make-video.ts'
import { createManagement, type Management } from './testing/management.ts'
import { orderVideo } from './testing/order-video.ts'
import { prepareOwner } from './testing/prepare-owner.ts'
import { adminKey, createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

type Trouble = {
  readonly name: string
  /** The state in `/health/ready`. */
  readonly reason: string
  /** True if stored data may still be read: from files this process has open, or because only writing fails. */
  readonly mayRead: boolean
  readonly begin: (place: Surroundings, proxy: CutProxy | null) => void | Promise<void>
  /** Ends the fault; null if only a restart after a repair does. */
  readonly end: ((place: Surroundings, proxy: CutProxy | null) => void | Promise<void>) | null
}

const databaseOf = ({ dataFolder }: Surroundings) => join(dataFolder, 'fairgate.db')
const overwrite = (file: string) => {
  const descriptor = openSync(file, 'r+')
  const { size } = statSync(file)
  writeSync(descriptor, Buffer.alloc(size, 0x5a), 0, size, 0)
  closeSync(descriptor)
}
const isOverwritten = (file: string) => readFileSync(file).every(byte => byte === 0x5a)

/**
 * Until the damage stays. A commit under way at that very moment goes over it, and takes what it left for its own work: only a
 * look at the bytes of every page would distinguish them.
 */
async function damage(action: () => void, isDamaged: () => boolean): Promise<void> {
  do {
    action()
    await Bun.sleep(50)
  } while (!isDamaged())
}

/** One that ends, and one in which what is read is damaged too. store/sqlite/watch-files.test.ts has every way to lose or damage a file. */
const sqliteTroubles: readonly Trouble[] = [
  {
    name: 'a file that is moved away, and put back',
    reason: 'database_damaged',
    mayRead: true,
    begin: place => renameSync(databaseOf(place), `${databaseOf(place)}.aside`),
    end: place => renameSync(`${databaseOf(place)}.aside`, databaseOf(place)),
  },
  {
    name: 'files that are overwritten',
    reason: 'database_damaged',
    mayRead: true,
    begin: place => {
      const files = [databaseOf(place), `${databaseOf(place)}-wal`]
      return damage(
        () => files.forEach(overwrite),
        () => files.every(isOverwritten),
      )
    },
    end: null,
  },
]

const postgresTroubles: readonly Trouble[] = [
  {
    name: 'a database server that stops, and starts again',
    reason: 'database_unavailable',
    mayRead: false,
    begin: (_place, proxy) => proxy?.cut(),
    end: (_place, proxy) => proxy?.restore(),
  },
  {
    name: 'a database server that takes no more writes, as after a failover, and does so again',
    reason: 'database_read_only',
    mayRead: true,
    begin: place => setReadOnly(place, 'on'),
    end: place => setReadOnly(place, 'off'),
  },
]

/** Routes answered from memory, or by the upstream alone. */
const fromMemory: readonly string[] = [
  ...[
    ...['/models', '/models/{id}', '/key/info', '/team/info'],
    ...['/model/info', '/model_group/info', '/user/info'],
  ].flatMap(path => [`gateway GET ${path}`, `gateway GET /v1${path}`]),
  ...['/vendor/v1', '/vendor/v1beta', '/v1beta'].flatMap(root => [
    `gateway GET ${root}/models`,
    `gateway GET ${root}/models/{model}`,
    `gateway POST ${root}/models/{model}:countTokens`,
  ]),
  'gateway POST /v1/models/{model}:countTokens',
  'gateway POST /messages/count_tokens',
  'gateway POST /v1/messages/count_tokens',
  'admin GET /key/list',
  'admin GET /key/info',
  'admin GET /team/list',
  'admin GET /v2/team/list',
  'admin GET /user/info',
  'admin GET /model/info',
  'admin GET /v1/model/info',
  'admin GET /model_group/info',
  'admin GET /team/info',
  'admin GET /log_token/list',
  'admin GET /key/deleted',
  'admin GET /people',
  'admin GET /people/{member_id}',
  'logbook GET /api/announcements',
  'admin GET /announcements',
  'admin GET /event',
  'admin GET /catalog',
  'admin GET /readiness',
  'admin GET /attention',
  'admin GET /stream',
  // Authenticated by a key, not a session.
  'admin DELETE /session',
  'admin GET /session',
  'gateway DELETE /self/session',
  'gateway GET /self/models',
  'admin POST /lookup',
  'admin POST /readiness/{part}/check',
]
// No answer was withheld, so the refund of all has nothing to write.
const onlyReading = ['/webhooks/{webhook_id}/test', '/calls/refund_undelivered']
const readsStore = ({ method, path }: DoorRoute) => method === 'GET' || onlyReading.includes(path)
const nameOf = ({ door, method, path }: DoorRoute) => `${door} ${method} ${path}`

type Started = {
  readonly place: Surroundings
  readonly proxy: CutProxy | null
  readonly urls: Awaited<ReturnType<typeof startServer>>
  readonly manage: Management
  readonly secrets: Readonly<Record<DoorName, string>>
  readonly routes: readonly DoorRoute[]
  readonly values: NamedValues
}

async function start(): Promise<Started> {
  const place = await createSurroundings()
  const proxy = place.databaseUrl === null ? null : await startCutProxy(place.databaseUrl)
  const urls = await startServer({
    ...place.variables,
    ...(proxy === null ? {} : { DATABASE_URL: proxy.url }),
  })
  const manage = createManagement(urls.adminUrl, adminKey)
  const key = await manage.team('team-a', { max_budget: 100 })
  const { token, token_id } = await manage.token('team-a')
  await ingest(urls.logbookUrl, token, [sampleEntry])
  const hash = createHash('sha256').update(key).digest('hex')
  const video = await createVideoClient(urls.gatewayUrl, key).make()
  const relayed = await orderVideo(urls.gatewayUrl, key)
  await manage.change('PUT', '/event/phases', { phases: [longPhase] })
  const announcement = await prepareMember(
    { path: '/announcements/{announcement_id}', method: 'DELETE' },
    'team-a',
    manage.post,
  )
  const webhook = await prepareMember(
    { path: '/webhooks/{webhook_id}', method: 'DELETE' },
    'team-a',
    manage.post,
  )
  const access = await prepareMember(
    { path: '/admin_keys/{key_id}', method: 'DELETE' },
    'team-a',
    manage.post,
  )
  const wall = await prepareMember(
    { path: '/wall_tokens/{wall_token_id}', method: 'DELETE' },
    'team-a',
    manage.post,
  )
  const note = await prepareMember({ path: '/notes/{note_id}', method: 'DELETE' }, 'team-a', manage.post)
  await manage.call('PUT', '/judging/setup', { setup: judgingSetupExample })
  const judge = await prepareMember(
    { path: '/judging/codes/{judge_id}', method: 'DELETE' },
    'team-a',
    manage.post,
  )
  const asked = await prepareMember({ path: '/cases/{case_id}', method: 'GET' }, 'team-a', manage.post)
  // Of another team: a team with a working code is refused a second one, for which the database must only be read.
  await manage.team('team-b')
  const person = await prepareMember({ path: '/claims/{claim_id}', method: 'GET' }, 'team-b', manage.post)
  await manage.post('/people', { team_id: 'team-a', name: 'With a free seat' })
  const owner = { gatewayUrl: urls.gatewayUrl, post: manage.post, team_id: 'team-a', key }
  const ownKey = await prepareOwner({ path: '/self/keys/{key_id}', method: 'DELETE' }, owner)
  const question = await prepareOwner({ path: '/questions/{question_id}/answer', method: 'POST' }, owner)
  const response = await prepareOwner({ path: '/v1/responses/{response_id}', method: 'GET' }, owner)
  const upload = await prepareOwner({ path: '/v1/files/{file_id}', method: 'GET' }, owner)
  const version = await prepareOwner({ path: '/self/submission/versions/{version}', method: 'GET' }, owner)
  const submitted = await prepareOwner({ path: '/self/submission/files/{file_id}', method: 'GET' }, owner)
  return {
    place,
    proxy,
    urls,
    manage,
    secrets: { gateway: key, logbook: token, admin: adminKey },
    routes: (await listDoorRoutes(urls)).filter(route => !needsJudging(route)),
    values: {
      team_id: 'team-a',
      key: hash,
      keys: [hash],
      token_id,
      id: 'mm-2.5-flash',
      video_id: video.id,
      call_id: await makeCall(urls.gatewayUrl, key),
      operation: relayed.operation,
      file: relayed.file,
      entries: [sampleEntry],
      entry: 1,
      ...announcement,
      ...ownKey,
      ...question,
      ...response,
      ...upload,
      ...version,
      submitted_id: submitted.file_id,
      ...webhook,
      ...access,
      ...wall,
      ...note,
      ...judge,
      ...asked,
      ...person,
      teams: ['team-a'],
      team_ids: ['team-a'],
    },
  }
}

async function stop({ urls, place, proxy }: Started): Promise<void> {
  await proxy?.restore()
  await urls.stop()
  await proxy?.cut()
  await place.remove()
}

const readiness = async (url: string) => {
  const response = await fetch(`${url}/health/ready`)
  return { status: response.status, body: await response.json() }
}
const untilReadyIs = async ({ urls }: Started, status: number) => {
  while ((await readiness(urls.gatewayUrl)).status !== status) await Bun.sleep(20)
}

/** One call and one entry; the statuses of their answers. */
async function callAndIngest({ urls, secrets }: Started, prompt: string): Promise<number[]> {
  const call = fetch(`${urls.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secrets.gateway}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: prompt }] }),
  })
  const taken = ingest(urls.logbookUrl, secrets.logbook, [{ ...sampleEntry, prompt }])
  return [(await call).status, (await taken).status]
}

/** No budget is held, and the team's spend is the sum of its charges on disk. */
async function isSettled({ manage, place }: Started): Promise<boolean> {
  const { spend, held } = (await manage.teamInfo('team-a')).team_info
  return held === 0 && Math.round(spend * 1e9) === sumCost(await readCharges(place, 'team-a'))
}

/** Teams and keys, without the figures of calls that wait for their charge. */
async function listSettings(manage: Management): Promise<unknown> {
  const text = await (await manage.call('GET', '/team/list')).text()
  return JSON.parse(text, (name, value) => (name === 'held' || name === 'spend' ? undefined : value))
}

/** Every route at once, each with a request that would work. What deletes comes after all others, which may be reading it. */
async function askAll(started: Started) {
  const isDeleting = ({ method }: DoorRoute) => method === 'DELETE'
  const reading = await askEach(
    started,
    started.routes.filter(route => !isDeleting(route)),
  )
  return [...reading, ...(await askEach(started, started.routes.filter(isDeleting)))]
}

/** Values that another route understands differently. */
function onlyFor(name: string, { member_id, file_id, submitted_id }: NamedValues): NamedValues {
  if (/\/submissions?\/.*\{file_id\}/.test(name)) return { file_id: submitted_id }
  if (/DELETE .*\/files\/\{file\}/.test(name)) return { file: String(file_id).replace('file-', '') }
  if (name === 'admin DELETE /people/{member_id}') return { keys: 'block' }
  return name === 'admin GET /user/info' ? { user_id: member_id } : {}
}

function askEach({ urls, values, secrets }: Started, routes: readonly DoorRoute[]) {
  return Promise.all(
    routes.map(async route => {
      const named = { ...values, ...onlyFor(nameOf(route), values) }
      const { url, method, body } = buildWorkingRequest(urls, route, named)
      const response = await fetch(url, {
        method,
        headers: {
          ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
          ...credentialFor(route, secrets[route.door]),
        },
        ...(body === null ? {} : { body }),
      })
      const text = await readReply(response)
      const retryAfter = response.headers.get('retry-after')
      return { route, status: response.status, code: codeOf(text), retryAfter, text }
    }),
  )
}

/** Routes that did not answer as they must while the database is away. */
async function findWrong(started: Started, mayRead: boolean): Promise<string[]> {
  const replies = await askAll(started)
  return replies.flatMap(({ route, status, code, retryAfter, text }) => {
    const isRefused = status === 503 && code === 'unavailable' && retryAfter !== null
    const isDocumented = !isRefused || route.codes.includes('unavailable')
    // A preview is answered from memory and changes nothing.
    const isPreview = status === 200 && text.startsWith('{"applied":false')
    const isRight = fromMemory.includes(nameOf(route))
      ? status < 400
      : isRefused || isPreview || (mayRead && readsStore(route) && status < 400)
    // A route family with its own error format keeps it.
    const isShaped = !isRefused || isPassThrough(route) === text.includes('"status":"UNAVAILABLE"')
    return isRight && isDocumented && isShaped
      ? []
      : [`${nameOf(route)}: ${status} ${code} ${retryAfter} ${text}`]
  })
}

// Shown to fail on the version before: 500 for management, audit, verification and videos, and 200 for calls into a deleted file.
describe.each(findTestPostgres() === null ? sqliteTroubles : postgresTroubles)('$name', trouble => {
  test('routes fail only with 503, and what needs no database keeps working', async () => {
    const started = await start()
    const { place, proxy, urls, manage, secrets } = started
    try {
      const teamsBefore = await listSettings(manage)
      // Spend is answered from memory if it was read before.
      await fetch(`${urls.gatewayUrl}/key/info`, { headers: { authorization: `Bearer ${secrets.gateway}` } })
      await trouble.begin(place, proxy)
      // At once, not only after the next check: entries acknowledged now would be lost.
      expect(await callAndIngest(started, 'meanwhile')).toEqual([503, 503])
      await untilReadyIs(started, 503)
      expect(await findWrong(started, trouble.mayRead)).toEqual([])
      for (const door of doorNames) {
        const url = urls[`${door}Url`]
        expect(await readiness(url)).toMatchObject({
          status: 503,
          body: { status: 'unavailable', door, reason: trouble.reason },
        })
        expect((await fetch(`${url}/health/live`)).status).toBe(200)
      }
      const metrics = await (await fetch(`${urls.adminUrl}/metrics`)).text()
      expect(metrics).toContain('fairgate_store_healthy 0')
      expect(metrics).toContain(`fairgate_store_failure{reason="${trouble.reason}"} 1`)
      // Refused changes were not made in memory either.
      expect(await listSettings(manage)).toEqual(teamsBefore)
      if (trouble.end === null) return

      await trouble.end(place, proxy)
      await untilReadyIs(started, 200)
      expect(await callAndIngest(started, 'again')).toEqual([200, 202])
      const prompts = (await readAllEntries(urls.logbookUrl, secrets.logbook)).map(({ prompt }) => prompt)
      expect([prompts.includes('again'), prompts.includes('meanwhile')]).toEqual([true, false])
      // The call that was under way when it began has been charged since, and only once.
      while (!(await isSettled(started))) await Bun.sleep(20)
      expect(await (await fetch(`${urls.adminUrl}/metrics`)).text()).toContain('fairgate_store_healthy 1')
      const wrong = (await askAll(started)).filter(({ status }) => status >= 500)
      expect(wrong).toEqual([])
    } finally {
      await stop(started)
    }
  }, 300_000)
})

if (findTestPostgres() !== null)
  // Shown to fail on the version before: 500, and memory differed from the database until a restart.
  test.each([
    [true, 7],
    [false, 100],
  ])(
    'connection lost at commit (committed: %p): memory matches the database',
    async (isCarriedOut, budget) => {
      const started = await start()
      const { proxy, manage, urls, place } = started
      try {
        proxy?.cutAtCommitOf('update "teams"', isCarriedOut)
        const reply = await manage.call('POST', '/team/update', { team_id: 'team-a', max_budget: 7 })
        expect([reply.status, reply.headers.get('retry-after') !== null]).toEqual([503, true])
        // It does not wait for another change.
        while ((await manage.teamInfo('team-a')).team_info.max_budget !== budget) await Bun.sleep(20)
        await untilReadyIs(started, 200)
        const { token } = await manage.token('team-a')
        expect((await ingest(urls.logbookUrl, token, [sampleEntry])).status).toBe(202)
        const stored = await readBudget(place)
        expect(stored).toBe(budget * 1e9)
        expect((await manage.teamInfo('team-a')).team_info.max_budget).toBe(budget)
      } finally {
        await stop(started)
      }
    },
    300_000,
  )

/** Applies to new connections, so those of the server are ended. */
async function setReadOnly({ databaseUrl }: Surroundings, value: 'on' | 'off'): Promise<void> {
  const client = new Client({ connectionString: databaseUrl ?? '' })
  await client.connect()
  await client.query('set session characteristics as transaction read write')
  await client.query(
    `alter database ${client.escapeIdentifier(client.database ?? '')} set default_transaction_read_only = ${value}`,
  )
  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name in ('fairgate', 'fairgate-admit', 'fairgate-settle', 'fairgate-spend', 'fairgate-lease')",
  )
  await client.end()
}

async function readBudget({ databaseUrl }: Surroundings): Promise<number> {
  const client = new Client({ connectionString: databaseUrl ?? '' })
  await client.connect()
  const { rows } = await client.query<{ max_budget_nano: string }>(
    "select max_budget_nano from teams where team_id = 'team-a'",
  )
  await client.end()
  return Number(rows[0]?.max_budget_nano)
}
