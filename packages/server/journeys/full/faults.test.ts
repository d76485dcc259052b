// suite: full on sqlite and postgres; 108 s
// Failing storage: calls fail closed, reads work, nothing acknowledged is lost, and everything recovers by itself.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { startPostgres } from '../../../../scripts/testing/start-postgres.ts'
import { startCutProxy } from '../testing/cut-proxy.ts'
import { ingest, readAllEntries, sampleEntry } from '../testing/logbook-client.ts'
import { createManagement } from '../testing/management.ts'
import { type SpawnedFairgate, spawnFairgate, spawnProcess } from '../testing/spawn-fairgate.ts'
import { adminKey, upstreamKey, writeSettings } from '../testing/start-fairgate.ts'
import { readCharges, sumCost } from '../testing/stored-rows.ts'

const teamId = 'faults'

const chat = async (server: SpawnedFairgate, key: string) => {
  const response = await fetch(`${server.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'mm-2.5-flash',
      max_tokens: 16,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  })
  const body = (await response.json()) as { error?: { code: string } }
  const callId = response.headers.get('x-gateway-call-id') ?? ''
  return { status: response.status, code: body.error?.code ?? null, callId }
}
const readKey = async (server: SpawnedFairgate, key: string) =>
  (await fetch(`${server.gatewayUrl}/key/info`, { headers: { authorization: `Bearer ${key}` } })).status

type Kept = { readonly answered: string[]; readonly acknowledged: string[] }

/** Sends one call and one batch of entries, and notes what was acknowledged. Returns whether both were accepted. */
async function tryBoth(server: SpawnedFairgate, key: string, token: string, kept: Kept): Promise<boolean> {
  const reply = await chat(server, key)
  if (reply.status === 200) kept.answered.push(reply.callId)
  else expect([reply.status, reply.code]).toEqual([503, 'unavailable'])
  const mark = crypto.randomUUID()
  const taken = await ingest(server.logbookUrl, token, [{ ...sampleEntry, prompt: mark }])
  if (taken.status === 202) kept.acknowledged.push(mark)
  else expect(taken.status).toBe(503)
  return reply.status === 200 && taken.status === 202
}

describe('on its own file system (needs root to mount one)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-faults-'))
  const disk = join(folder, 'disk')
  const run = (...command: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(command, { stderr: 'pipe' })
    if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  }
  const variables = (sandboxUrl: string) => ({
    FAIRGATE_CONFIG: writeSettings(folder, '', 'warn'),
    FAIRGATE_DATA_DIR: join(disk, 'data'),
    FAIRGATE_ADMIN_KEY: adminKey,
    FAIRGATE_GATEWAY_PORT: '0',
    FAIRGATE_LOGBOOK_PORT: '0',
    FAIRGATE_ADMIN_PORT: '0',
    VENDOR_BASE_URL: sandboxUrl,
    VENDOR_API_KEY: upstreamKey,
  })

  // Shown to fail on the version before: readiness said nothing, and the log only "cannot rollback - no transaction is active".
  test('a full disk: 503 for calls and entries while reads work; with free space everything works again', async () => {
    const sandbox = startSandbox({ port: 0, keys: [upstreamKey] })
    mkdirSync(disk, { recursive: true })
    run('mount', '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk)
    try {
      const server = await spawnFairgate({ variables: variables(sandbox.url) })
      const manage = createManagement(server.adminUrl, adminKey)
      const key = await manage.team(teamId, { max_budget: 10 })
      const { token } = await manage.token(teamId)
      const kept: Kept = { answered: [], acknowledged: [] }
      expect(await tryBoth(server, key, token, kept)).toBe(true)

      fill(join(disk, 'filler'))
      // Space that the database has reserved may take a few more rows.
      while (await tryBoth(server, key, token, kept));
      for (let call = 0; call < 50; call += 1) expect(await tryBoth(server, key, token, kept)).toBe(false)
      expect(await readKey(server, key)).toBe(200)
      expect((await fetch(`${server.gatewayUrl}/health/live`)).status).toBe(200)
      const ready = await fetch(`${server.gatewayUrl}/health/ready`)
      expect([ready.status, await ready.json()]).toEqual([
        503,
        { status: 'unavailable', door: 'gateway', reason: 'database_full' },
      ])
      await readAllEntries(server.logbookUrl, token)
      // The organiser sees why, and what to do.
      const update = await fetch(`${server.adminUrl}/team/update`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ team_id: teamId, max_budget: 20 }),
      })
      expect([update.status, await update.json()]).toMatchObject([
        503,
        { error: { code: 'unavailable', message: expect.stringContaining('database disk is full') } },
      ])

      rmSync(join(disk, 'filler'))
      while (!(await tryBoth(server, key, token, kept))) await Bun.sleep(100)
      expect((await fetch(`${server.gatewayUrl}/health/ready`)).status).toBe(200)
      await checkKept(server, { dataFolder: join(disk, 'data'), databaseUrl: null }, token, kept)
      server.kill('SIGTERM')
      expect(await server.exited).toBe(0)
      expect(server.output()).toContain('The disk is filling up')
      // The cause, once for all of them.
      expect(server.output()).toContain('SQLITE_FULL')
      expect(server.output()).not.toContain('cannot rollback')
      expect(server.output().split('The database cannot be used').length - 1).toBe(1)
      expect(server.output()).toContain('The database can be used again')
    } finally {
      run('umount', '-l', disk)
      await sandbox.stop()
    }
  }, 120_000)

  test('a read-only data folder: the start is refused with the path', async () => {
    mkdirSync(disk, { recursive: true })
    run('mount', '-t', 'tmpfs', '-o', 'size=1m,ro', 'tmpfs', disk)
    try {
      const server = spawnProcess({ variables: variables('http://127.0.0.1:1') })
      expect(await server.exited).toBe(1)
      expect(server.output()).toContain(join(disk, 'data'))
      expect(server.output()).not.toContain('    at ')
    } finally {
      run('umount', '-l', disk)
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

// Shown to fail on the version before: every call waited 30 s and longer, and readiness stayed green.
test('a network that swallows everything: waiting calls get an error, new calls are refused at once, then everything works again', async () => {
  const postgres = startPostgres()
  if (postgres === null) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-silence-'))
  const sandbox = startSandbox({ port: 0, keys: [upstreamKey] })
  const proxy = await startCutProxy(postgres.url)
  try {
    const server = await spawnFairgate({
      variables: {
        FAIRGATE_CONFIG: writeSettings(folder),
        FAIRGATE_DATA_DIR: join(folder, 'data'),
        FAIRGATE_ADMIN_KEY: adminKey,
        FAIRGATE_GATEWAY_PORT: '0',
        FAIRGATE_LOGBOOK_PORT: '0',
        FAIRGATE_ADMIN_PORT: '0',
        VENDOR_BASE_URL: sandbox.url,
        VENDOR_API_KEY: upstreamKey,
        DATABASE_URL: proxy.url,
      },
    })
    const manage = createManagement(server.adminUrl, adminKey)
    const key = await manage.team(teamId, { max_budget: 10 })
    const { token } = await manage.token(teamId)
    const kept: Kept = { answered: [], acknowledged: [] }
    expect(await tryBoth(server, key, token, kept)).toBe(true)
    const askedBefore = sandbox.counters().calls

    proxy.silence()
    // These wait for the database, which no longer answers.
    const waiting = [
      fetch(`${server.adminUrl}/audit`, { headers: { authorization: `Bearer ${adminKey}` } }),
      manage.call('POST', '/team/update', { team_id: teamId, max_budget: 11 }),
    ]
    expect(await Promise.all(waiting.map(async reply => (await reply).status))).toEqual([503, 503])
    expect(await tryBoth(server, key, token, kept)).toBe(false)
    expect(await readKey(server, key)).toBe(200)
    // A call that cannot be charged is not made.
    expect(sandbox.counters().calls).toEqual(askedBefore)
    const ready = await fetch(`${server.gatewayUrl}/health/ready`)
    expect(await ready.json()).toMatchObject({ status: 'unavailable', reason: 'database_unavailable' })

    await proxy.restore()
    while (!(await tryBoth(server, key, token, kept))) await Bun.sleep(100)
    await checkKept(server, { dataFolder: join(folder, 'data'), databaseUrl: postgres.url }, token, kept)
    proxy.silence()
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  } finally {
    await proxy.cut()
    await sandbox.stop()
    postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 180_000)

// Shown to fail, in two runs of five, if connections made since the restart are cut when the watched one is back.
test('PostgreSQL restarted again and again under load: 503 meanwhile, then everything works again', async () => {
  const postgres = startPostgres()
  if (postgres === null) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-restarts-'))
  const sandbox = startSandbox({ port: 0, keys: [upstreamKey] })
  try {
    const server = await spawnFairgate({
      variables: {
        FAIRGATE_CONFIG: writeSettings(folder),
        FAIRGATE_DATA_DIR: join(folder, 'data'),
        FAIRGATE_ADMIN_KEY: adminKey,
        FAIRGATE_GATEWAY_PORT: '0',
        FAIRGATE_LOGBOOK_PORT: '0',
        FAIRGATE_ADMIN_PORT: '0',
        VENDOR_BASE_URL: sandbox.url,
        VENDOR_API_KEY: upstreamKey,
        DATABASE_URL: postgres.url,
      },
    })
    const manage = createManagement(server.adminUrl, adminKey)
    const key = await manage.team(teamId, { max_budget: 10 })
    const { token } = await manage.token(teamId)
    const kept: Kept = { answered: [], acknowledged: [] }
    let isOver = false
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) await tryBoth(server, key, token, kept)
    })
    for (let restart = 1; restart <= 5; restart += 1) {
      const before = kept.answered.length
      postgres.restart()
      while (kept.answered.length < before + 50) await Bun.sleep(20)
      expect(await readKey(server, key)).toBe(200)
    }
    isOver = true
    await Promise.all(load)
    while (!(await tryBoth(server, key, token, kept))) await Bun.sleep(100)
    await checkKept(server, { dataFolder: join(folder, 'data'), databaseUrl: postgres.url }, token, kept)
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  } finally {
    await sandbox.stop()
    postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 180_000)

function fill(path: string): void {
  const piece = Buffer.alloc(64 * 1024)
  const write = (bytes: Buffer): boolean => {
    try {
      writeFileSync(path, bytes, { flag: 'a' })
      return true
    } catch {
      return false
    }
  }
  while (write(piece));
}

async function checkKept(
  server: SpawnedFairgate,
  place: Parameters<typeof readCharges>[0],
  token: string,
  kept: Kept,
): Promise<void> {
  const charges = await readCharges(place, teamId)
  const charged = new Set(charges.map(charge => charge.call_id))
  expect(charged.size).toBe(charges.length)
  expect(kept.answered.filter(callId => !charged.has(callId))).toEqual([])
  const { team_info } = await createManagement(server.adminUrl, adminKey).teamInfo(teamId)
  expect(Math.round(team_info.spend * 1e9)).toBe(sumCost(charges))
  expect(team_info.held).toBe(0)
  const stored = (await readAllEntries(server.logbookUrl, token)).map(entry => entry.prompt)
  expect(new Set(stored).size).toBe(stored.length)
  expect(kept.acknowledged.filter(mark => !stored.includes(mark))).toEqual([])
  expect(await createManagement(server.adminUrl, adminKey).verifyLog(teamId)).toMatchObject({ ok: true })
}
