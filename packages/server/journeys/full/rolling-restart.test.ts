// Three processes on one PostgreSQL, replaced again and again under load: clients that keep their connections lose no call and no stream,
// and each answered call is charged once.
import { expect, test } from 'bun:test'
import { findTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { findFreePort } from '../testing/find-free-port.ts'
import { KeepAliveClient } from '../testing/keep-alive-client.ts'
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

    let isOver = false
    let answered = 0
    let streams = 0
    const failures: string[] = []
    const clients = Array.from({ length: callers }, () => new KeepAliveClient(server.gatewayUrl))
    const from = performance.now()
    const load = Promise.all(
      clients.map(async (client, index) => {
        for (let sent = index; !isOver; sent += 1) {
          const stream = sent % 3 === 0
          // Some streams last longer than what clients get to move.
          const content = sent % 60 === 0 ? 'Hello. [[sandbox: chunkDelayMs=500; chunks=4]]' : 'Hello.'
          const body = {
            model: 'mm-2.5-flash',
            max_tokens: 16,
            stream,
            messages: [{ role: 'user', content }],
          }
          const fault = await client
            .send('/v1/chat/completions', key, body)
            .then(
              answer =>
                answer.status === 200 && (!stream || answer.body.includes('[DONE]'))
                  ? null
                  : `${answer.status} ${answer.body.slice(0, 200)}`,
              String,
            )
          answered += 1
          if (stream) streams += 1
          if (fault !== null) failures.push(fault)
        }
      }),
    )
    while (answered < 200) await Bun.sleep(5)
    const asked = answered
    let rounds = 0
    while (answered < asked + leastCalls) {
      const before = new Set(await readProcessIds())
      server.kill('SIGUSR2')
      const isReplaced = (now: readonly string[]) =>
        now.length === processes && !now.some(processId => before.has(processId))
      while (!isReplaced(await readProcessIds())) await Bun.sleep(20)
      rounds += 1
      // The last of the old ones gives its place up a moment before it ends.
      const alone = answered
      while (answered < alone + 400) await Bun.sleep(5)
    }
    isOver = true
    await load
    const seconds = (performance.now() - from) / 1000
    const connections = clients.reduce((sum, client) => sum + client.connections, 0)
    for (const client of clients) client.close()
    const charges = await readCharges(place, 'kept')
    console.log(
      `${rounds} replacements of ${processes} processes in ${seconds.toFixed(0)} s: ${answered} calls by ${callers} callers, ${streams} of them streams, ` +
        `on ${connections} connections; ${failures.length} failed, ${charges.length} charges`,
    )
    expect(failures).toEqual([])
    expect(charges).toHaveLength(answered)
    expect(new Set(charges.map(({ call_id }) => call_id)).size).toBe(answered)
    expect(new Set(charges.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    expect(await runStored(place, 'select call_id from running_calls', [])).toEqual([])
    expect(server.output()).not.toContain('No processes are replaced now')
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    expect(await readProcessIds()).toEqual([])
  } finally {
    try {
      process.kill(-server.pid, 'SIGKILL')
    } catch {
      // All of it has ended.
    }
    await server.exited
    await place.remove()
  }
}

if (process.platform !== 'linux' || findTestPostgres() === null)
  test.skip('SKIPPED: several processes need Linux and PostgreSQL (TEST_POSTGRES_URL)', () => undefined)
else
  test(
    'three processes are replaced under load: no call fails, and each is charged once',
    runCampaign,
    600_000,
  )
