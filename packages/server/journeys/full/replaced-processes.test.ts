// suite: 36 s
// Real servers at one address, which are replaced one by one: clients that keep their connections lose no call and no stream.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { ProcessGroup, usualPatience } from '../../src/process/process-group.ts'
import { createStartProcess } from '../../src/process/start-process.ts'
import { findFreePort } from '../testing/find-free-port.ts'
import { KeepAliveClient } from '../testing/keep-alive-client.ts'
import { KeptLoad } from '../testing/kept-load.ts'
import { createManagement } from '../testing/management.ts'
import { spawnFairgate, spawnProcess } from '../testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from '../testing/start-fairgate.ts'
import { readCharges } from '../testing/stored-rows.ts'

const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const testOnLinux = process.platform === 'linux' ? test : () => undefined

/** A data folder with a team and its key; each process has a copy. */
let origin: Surroundings
let key = ''
beforeAll(async () => {
  origin = await createSurroundings()
  const { DATABASE_URL: _, ...variables }: Record<string, string> = origin.variables
  const server = await spawnFairgate({ variables })
  key = await createManagement(server.adminUrl, adminKey).team('kept')
  server.kill('SIGINT')
  await server.exited
})
afterAll(() => origin.remove())

let place: Surroundings
let group: ProcessGroup | null = null
beforeEach(async () => {
  place = await createSurroundings({ settings: 'drain_seconds: 600' })
})
afterEach(async () => {
  group?.stop('SIGINT')
  await group?.ended
  group = null
  await place.remove()
})

type Started = Awaited<ReturnType<typeof prepareGroup>> & { readonly announcement: string }

async function startGroup(count: number, sandboxUrl: string | null = null): Promise<Started> {
  const prepared = await prepareGroup(count, sandboxUrl)
  const announcement = await prepared.group.start()
  if (announcement === null) throw new Error(`The processes did not start: ${prepared.printed.join('')}`)
  return { ...prepared, announcement }
}

async function prepareGroup(count: number, sandboxUrl: string | null = null) {
  const ports = {
    FAIRGATE_GATEWAY_PORT: String(findFreePort()),
    FAIRGATE_LOGBOOK_PORT: '0',
    FAIRGATE_ADMIN_PORT: '0',
  }
  const { DATABASE_URL: _, ...variables }: Record<string, string> = { ...place.variables, ...ports }
  if (sandboxUrl !== null) for (const name of ['VENDOR_API_KEY', 'VENDOR_BASE_URL']) delete variables[name]
  const folders: string[] = []
  const printed: string[] = []
  const write = async (bytes: Uint8Array) => printed.push(new TextDecoder().decode(bytes))
  group = new ProcessGroup({
    count,
    startProcess: onMessage => {
      const folder = join(place.folder, `data-${folders.length}`)
      folders.push(folder)
      cpSync(origin.dataFolder, folder, { recursive: true })
      return createStartProcess({
        command: [process.execPath, program, 'serve', '--member'],
        variables: { ...process.env, ...variables, FAIRGATE_DATA_DIR: folder },
        writeOutput: write,
        writeError: write,
      })(onMessage)
    },
    begin: { isTerminal: false, sandboxUrl },
    report: text => printed.push(`${text}\n`),
    patience: usualPatience,
    now: () => performance.now(),
  })
  return {
    group,
    printed,
    gatewayUrl: `http://127.0.0.1:${ports.FAIRGATE_GATEWAY_PORT}`,
    /** Charges of all processes, including ended ones. */
    charges: async () =>
      (
        await Promise.all(folders.map(dataFolder => readCharges({ dataFolder, databaseUrl: null }, 'kept')))
      ).flat(),
  }
}

const messages = [{ role: 'user', content: 'Hello.' }]
const body = (stream: boolean) => ({ model: 'mm-2.5-flash', max_tokens: 16, stream, messages })

// Shown to fail without `letClientsMove` in main.ts (32 of 854 calls failed), and if it does not wait for the streams that began before
// (4 of 955).
testOnLinux(
  'a replacement under load fails none of the calls and streams on kept connections',
  async () => {
    const { group, gatewayUrl, printed, charges } = await startGroup(2)
    // A quarter of the streams lasts longer than clients get to move.
    place.sandbox.setSwitches({ firstByteDelayMs: 20, chunkDelayMs: 20, chunks: 4 })
    const load = new KeptLoad({ gatewayUrl, key, callers: 24, longEvery: 12 })
    await load.untilMore(200)
    await group.replaceAll()
    await load.untilMore(200)
    console.log(await load.end())
    expect(printed).toEqual([])
    expect(load.failures).toEqual([])
    const charged = await charges()
    expect(charged).toHaveLength(load.ended)
    expect(new Set(charged.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
  },
  300_000,
)

testOnLinux(
  'a process that is being replaced shows it in its health, and a proxy keeps sending',
  async () => {
    const { group, gatewayUrl } = await startGroup(1)
    const held = new KeepAliveClient(gatewayUrl)
    place.sandbox.setSwitches({ firstByteDelayMs: 1 })
    const release = place.holdUpstream()
    const running = held.send('/v1/chat/completions', key, body(true))
    while (place.sandbox.counters().running < 1) await Bun.sleep(1)
    const over = group.replaceAll()
    const look = async (page: string) => {
      const answer = await fetch(`${gatewayUrl}/health/${page}`, { keepalive: false })
      return {
        status: answer.status,
        text: await answer.text(),
        connection: answer.headers.get('connection'),
      }
    }
    let leaving = await look('ready')
    while (leaving.status === 200) leaving = await look('ready')
    expect(leaving.text).toContain('"reason":"replaced"')
    expect(leaving.connection?.toLowerCase()).toBe('close')
    for (let looks = 0; looks < 50; looks += 1) expect((await look('open')).status).toBe(200)
    release()
    expect((await running).body).toContain('[DONE]')
    held.close()
    await over
    expect((await look('ready')).status).toBe(200)
  },
  300_000,
)

testOnLinux(
  'all processes use one sandbox; scraping any returns the figures of all, including ended ones',
  async () => {
    // It has no keys before they start.
    const sandbox = startSandbox({ port: 0, keys: [] })
    const { group, gatewayUrl, announcement } = await startGroup(2, sandbox.url)
    const adminUrl = /admin +(http:\S+)/.exec(announcement)?.[1] ?? ''
    const calls = 20
    for (let sent = 0; sent < calls; sent += 1) {
      const client = new KeepAliveClient(gatewayUrl)
      expect((await client.send('/v1/chat/completions', key, body(false))).status).toBe(200)
      client.close()
    }
    expect(sandbox.counters().calls).toBe(calls)
    const scrape = async () => (await fetch(`${adminUrl}/metrics`, { keepalive: false })).text()
    const counted =
      /^fairgate_requests_total\{door="gateway",route="\/v1\/chat\/completions",status="200"\} 20$/m
    const before = await scrape()
    expect(before).toMatch(counted)
    expect(before).toMatch(/^fairgate_processes 2$/m)
    expect(before).toMatch(/^fairgate_running_slots\{process="1"\} 0$/m)
    expect(before).toMatch(/^fairgate_running_slots\{process="2"\} 0$/m)
    await group.replaceAll()
    for (let looks = 0; looks < 4; looks += 1) expect(await scrape()).toMatch(counted)
    await sandbox.stop()
  },
  300_000,
)

testOnLinux(
  'a port used by another program ends the start',
  async () => {
    const { group, gatewayUrl, printed } = await prepareGroup(2)
    const other = Bun.serve({
      hostname: '127.0.0.1',
      port: Number(new URL(gatewayUrl).port),
      reusePort: true,
      fetch: () => new Response('Somebody else.'),
    })
    expect(await group.start()).toBeNull()
    expect(await group.ended).toBe(1)
    expect(printed.join('')).toStartWith(`fairgate: Cannot listen on 127.0.0.1:${other.port}.`)
    await other.stop(true)
  },
  300_000,
)

testOnLinux(
  'SQLite supports one process: the start says so, and auto means one',
  async () => {
    const { DATABASE_URL: _, ...variables }: Record<string, string> = place.variables
    const refused = spawnProcess({ variables, options: ['--processes', '2'], throughLauncher: true })
    expect(await refused.exited).toBe(1)
    expect(refused.output()).toBe(
      'fairgate: 2 processes cannot run here. SQLite serves one process. Set DATABASE_URL to a PostgreSQL database to run more.\n',
    )
    const alone = await spawnFairgate({ variables: { ...variables, FAIRGATE_PROCESSES: 'auto' } })
    alone.kill('SIGTERM')
    expect(await alone.exited).toBe(0)
    expect(alone.output()).not.toContain('processes serve')
  },
  300_000,
)
