// A new server in the place of the old one, on the same addresses and the same database: nobody is refused, and nothing is lost.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { findFreePort } from './testing/find-free-port.ts'
import { createManagement } from './testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings, writeSettings } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

const settings = 'drain_announce_seconds: 600\ndrain_seconds: 600'
let place: Surroundings
let server: SpawnedFairgate | null = null
beforeEach(async () => {
  place = await createSurroundings({ settings })
})
afterEach(async () => {
  // A failed test leaves a launcher and up to two servers: one group.
  if (server !== null) await endGroup(server)
  await place.remove()
})

async function endGroup({ pid, exited }: SpawnedFairgate): Promise<void> {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // All of it has ended.
  }
  await exited
}

// Shown to fail on the build before: SIGUSR2 ended the launcher. Shown to fail without `reusePort` in start/listen.ts: the new
// server finds the address taken and the old one goes on.
const testOnLinux = process.platform === 'linux' ? test : () => undefined
testOnLinux(
  'SIGUSR2: the old server ends its calls, meanwhile the new one lets requests wait; a faulty one changes nothing',
  async () => {
    server = await spawnFairgate({
      throughLauncher: true,
      ownGroup: true,
      variables: {
        ...place.variables,
        FAIRGATE_GATEWAY_PORT: String(findFreePort()),
        FAIRGATE_LOGBOOK_PORT: String(findFreePort()),
        FAIRGATE_ADMIN_PORT: String(findFreePort()),
      },
    })
    const { gatewayUrl, pid } = server
    const key = await createManagement(server.adminUrl, adminKey).team('kept')
    const chat = (signal?: AbortSignal, stream = false) =>
      fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        keepalive: false,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'mm-2.5-flash',
          stream,
          messages: [{ role: 'user', content: 'Hello.' }],
        }),
        ...(signal === undefined ? {} : { signal }),
      })

    writeSettings(place.folder, 'colour: red')
    process.kill(pid, 'SIGUSR2')
    await server.printed('the one in place goes on')
    expect((await chat()).status).toBe(200)

    writeSettings(place.folder, settings)
    place.sandbox.setSwitches({ firstByteDelayMs: 1 })
    const release = place.holdUpstream()
    const running = chat(undefined, true).then(answer => answer.text())
    while (place.sandbox.counters().running < 1) await Bun.sleep(1)
    process.kill(pid, 'SIGUSR2')
    await server.printed('Requests are kept until it has ended.')
    // Until the old server has stopped listening, both are asked in turns.
    // Without net.ipv4.tcp_migrate_req a look in the very moment of the change may be reset.
    const health = () =>
      fetch(`${gatewayUrl}/health/ready`, { keepalive: false }).then(
        answer => answer.text(),
        () => 'reset',
      )
    for (let inTurn = 0; inTurn < 20; inTurn += 1) if (!(await health()).includes('starting')) inTurn = 0
    const leaving = new AbortController()
    const left = chat(leaving.signal).catch(() => 'left')
    const waiting = Array.from({ length: 20 }, async () => (await chat()).status)
    const calls = place.sandbox.counters().calls
    leaving.abort()
    expect(await left).toBe('left')
    release()
    expect(await running).toEndWith('[DONE]\n\n')
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(place.sandbox.counters().calls).toBe(calls + 20)
    expect(await readCharges(place, 'kept')).toHaveLength(22)

    process.kill(pid, 'SIGINT')
    expect(await server.exited).toBe(0)
  },
  300_000,
)
