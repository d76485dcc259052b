// suite: full on postgres; alone; 48 s
// Three processes on one PostgreSQL, replaced again and again under load: clients that keep their connections lose no call and no stream,
// and each answered call is charged once.
import { expect, test } from 'bun:test'
import { findTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { findFreePort } from '../testing/find-free-port.ts'
import { KeptLoad } from '../testing/kept-load.ts'
import { createManagement } from '../testing/management.ts'
import { spawnFairgate } from '../testing/spawn-fairgate.ts'
import { adminKey, createSurroundings } from '../testing/start-fairgate.ts'
import { readCharges, runStored } from '../testing/stored-rows.ts'

const processes = 3
const callers = 40
const leastCalls = 10_000

async function runCampaign(): Promise<void> {
  const place = await createSurroundings({
    settings: 'drain_announce_seconds: 0\ndrain_seconds: 600',
    variables: {
      FAIRGATE_GATEWAY_PORT: String(findFreePort()),
      FAIRGATE_LOGBOOK_PORT: String(findFreePort()),
      FAIRGATE_ADMIN_PORT: String(findFreePort()),
    },
  })
  const readProcessIds = async () =>
    (await runStored<{ process_id: string }>(place, 'select process_id from processes', [])).map(
      ({ process_id }) => process_id,
    )
  const server = await spawnFairgate({
    throughLauncher: true,
    ownGroup: true,
    options: ['--processes', String(processes)],
    variables: place.variables,
  })
  try {
    await server.printed(`${processes} processes serve these addresses.`)
    const { team } = createManagement(server.adminUrl, adminKey)
    const key = await team('kept', {}, { max_parallel_requests: 2 * callers })
    place.sandbox.setSwitches({ firstByteDelayMs: 5, chunkDelayMs: 5, chunks: 4 })

    const from = performance.now()
    const load = new KeptLoad({ gatewayUrl: server.gatewayUrl, key, callers, longEvery: 60 })
    await load.untilMore(200)
    const asked = load.ended
    let rounds = 0
    while (load.ended < asked + leastCalls) {
      const before = new Set(await readProcessIds())
      server.kill('SIGUSR2')
      const isReplaced = (now: readonly string[]) =>
        now.length === processes && !now.some(processId => before.has(processId))
      while (!isReplaced(await readProcessIds())) await Bun.sleep(20)
      rounds += 1
      // The last of the old ones gives up its place a moment before it ends.
      await load.untilMore(400)
    }
    const figures = await load.end()
    const seconds = (performance.now() - from) / 1000
    const charges = await readCharges(place, 'kept')
    console.log(
      `${rounds} replacements of ${processes} processes in ${seconds.toFixed(0)} s: ${figures}, ${charges.length} charges`,
    )
    expect(load.failures).toEqual([])
    expect(charges).toHaveLength(load.ended)
    expect(new Set(charges.map(({ call_id }) => call_id)).size).toBe(load.ended)
    expect(new Set(charges.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    expect(await runStored(place, 'select call_id from running_calls', [])).toEqual([])
    expect(server.output()).not.toContain('Not replacing processes')
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    expect(await readProcessIds()).toEqual([])
  } finally {
    try {
      process.kill(-server.pid, 'SIGKILL')
    } catch {
      // Everything has ended.
    }
    await server.exited
    await place.remove()
  }
}

if (process.platform !== 'linux' || findTestPostgres() === null)
  test.skip('SKIPPED: several processes need Linux and PostgreSQL (TEST_POSTGRES_URL)', () => undefined)
else
  test(
    'three processes are replaced under load: no call fails, and each call is charged once',
    runCampaign,
    600_000,
  )
