// suite: test on sqlite and postgres; 23 s
// `fairgate serve --processes 3` as an operator runs it, with the embedded sandbox: made once, printed once, served by all; and one that is
// killed is replaced, after the others have ended its calls.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { findTestPostgres } from '../src/store/testing/create-test-postgres.ts'
import { findFreePort } from './testing/find-free-port.ts'
import { KeepAliveClient } from './testing/keep-alive-client.ts'
import { type Spawned, type SpawnedFairgate, spawnFairgate, spawnProcess } from './testing/spawn-fairgate.ts'
import { createSurroundings, type Surroundings } from './testing/start-fairgate.ts'
import { readCharges, runStored } from './testing/stored-rows.ts'

let place: Surroundings
let server: SpawnedFairgate | null = null
beforeEach(async () => {
  place = await createSurroundings({
    settings: 'drain_announce_seconds: 0',
    variables: {
      FAIRGATE_GATEWAY_PORT: String(findFreePort()),
      FAIRGATE_LOGBOOK_PORT: String(findFreePort()),
      FAIRGATE_ADMIN_PORT: String(findFreePort()),
    },
  })
})
afterEach(async () => {
  if (server !== null) await endGroup(server)
  server = null
  await place.remove()
})

async function endGroup({ pid, exited }: Spawned): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Everything has ended.
  }
  await exited
}

/** Without settings: the sandbox is embedded, and the admin key is created at the start. */
function withoutGiven(variables: Readonly<Record<string, string>>): Record<string, string> {
  const given = ['VENDOR_API_KEY', 'VENDOR_BASE_URL', 'FAIRGATE_ADMIN_KEY']
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !given.includes(name)))
}

const readProcesses = () =>
  runStored<{ process_id: string }>(place, 'select process_id from processes order by slot', [])

const testOnLinux = process.platform === 'linux' ? test : () => undefined
const testOnPostgres = findTestPostgres() === null ? () => undefined : testOnLinux

testOnLinux('SQLite supports one process: the start says so', async () => {
  const { DATABASE_URL: _, ...variables } = place.variables
  const refused = spawnProcess({ variables, options: ['--processes', '2'], throughLauncher: true })
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toBe(
    'fairgate: 2 processes cannot run here. SQLite serves one process. Set DATABASE_URL to a PostgreSQL database to run more.\n',
  )
})

testOnPostgres(
  'three processes share one start and one sandbox; a killed one is replaced, and its holds are released',
  async () => {
    server = await spawnFairgate({
      throughLauncher: true,
      ownGroup: true,
      options: ['--processes', '3'],
      variables: withoutGiven(place.variables),
    })
    await server.printed('3 processes serve these addresses.')
    const printed = server.output()
    expect(printed.match(/Fairgate is ready\./g)).toHaveLength(1)
    const keys = new Set(printed.match(/\bsk-[\w-]{20,}/g))
    expect(keys.size).toBe(1)
    const [key = ''] = keys
    const adminKey = (await Bun.file(`${place.dataFolder}/admin-key`).text()).trim()
    expect(await runStored(place, 'select team_id from teams', [])).toEqual([{ team_id: 'demo' }])
    const before = (await readProcesses()).map(({ process_id }) => process_id)
    expect(before).toHaveLength(3)

    const { gatewayUrl, adminUrl } = server
    const readReady = () =>
      fetch(`${adminUrl}/health/ready`, { headers: { authorization: `Bearer ${adminKey}` } })
    let ready = await readReady()
    // On a busy machine a process may be behind with the directory for a moment, and says so.
    while (ready.status === 503) {
      await Bun.sleep(50)
      ready = await readReady()
    }
    expect(ready.status).toBe(200)
    expect(await ready.json()).toMatchObject({ status: 'ok', differing_catalogs: [] })

    // New connections are distributed, so this many reach all three.
    const ask = async (content: string) => {
      const client = new KeepAliveClient(gatewayUrl)
      const asked = {
        model: 'mm-2.5-flash',
        max_tokens: 16,
        stream: true,
        messages: [{ role: 'user', content }],
      }
      const answer = await client.send('/v1/chat/completions', key, asked).finally(() => client.close())
      return `${answer.status} ${answer.body.includes('[DONE]') ? 'whole' : answer.body}`
    }
    const streams = Array.from({ length: 15 }, () =>
      ask('Hello. [[sandbox: chunkDelayMs=1000; chunks=20]]').catch(() => 'cut off'),
    )
    const readRunning = () =>
      runStored<{ process_id: string }>(
        place,
        "select process_id from running_calls where kind = 'stream' and progress_at > 0",
        [],
      )
    let running = await readRunning()
    while (running.length < streams.length) {
      await Bun.sleep(20)
      running = await readRunning()
    }
    const held = new Map<string, number>()
    for (const { process_id } of running) held.set(process_id, (held.get(process_id) ?? 0) + 1)
    const members = await listMembers(server.pid)
    expect(members).toHaveLength(3)
    process.kill(members[0] ?? 0, 'SIGKILL')
    const isReplaced = (now: readonly string[]) => now.length === 3 && now.some(id => !before.includes(id))
    const readIds = async () => (await readProcesses()).map(({ process_id }) => process_id)
    let after = await readIds()
    while (!isReplaced(after)) {
      await Bun.sleep(50)
      after = await readIds()
    }
    const killed = before.find(id => !after.includes(id)) ?? ''
    const ended = await Promise.all(streams)
    const cut = held.get(killed) ?? 0
    expect(ended.filter(answer => answer === 'cut off')).toHaveLength(cut)
    expect(ended.filter(answer => answer === '200 whole')).toHaveLength(streams.length - cut)
    const charges = await readCharges(place, 'demo')
    expect(charges).toHaveLength(streams.length)
    expect(charges.filter(({ outcome }) => outcome === 'interrupted')).toHaveLength(cut)
    expect(await runStored(place, 'select call_id from running_calls', [])).toEqual([])
    console.log(
      `streams of each process: ${[...held.values()].join(', ')}; ${cut} were cut off by the kill, and charged as far as they came`,
    )
    for (let asked = 0; asked < 12; asked += 1) expect(await ask('Hello.')).toBe('200 whole')

    process.kill(server.pid, 'SIGTERM')
    expect(await server.exited).toBe(0)
    expect(await readProcesses()).toEqual([])
  },
  300_000,
)

/** The processes that serve: grandchildren of the launcher. */
async function listMembers(launcher: number): Promise<number[]> {
  const childrenOf = async (pid: number) =>
    (await Bun.file(`/proc/${pid}/task/${pid}/children`).text()).trim().split(' ').filter(Boolean).map(Number)
  const parents = await childrenOf(launcher)
  const members = await Promise.all(parents.map(childrenOf))
  return members.flat()
}
