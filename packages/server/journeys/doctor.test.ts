// `fairgate doctor` on a real installation: next to the running server, and without it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { runCli } from '../src/cli/testing/run-cli.ts'
import { startServer } from '../src/main.ts'
import { createSurroundings, type Surroundings, upstreamKey } from './testing/start-fairgate.ts'

let place: Surroundings
let server: Awaited<ReturnType<typeof startServer>> | null = null
beforeAll(async () => {
  place = await createSurroundings()
  server = await startServer(place.variables)
})
afterAll(async () => {
  await server?.stop()
  await place.remove()
})

type Item = { part: string; state: string; text: string; fix: string | null }

/** Uses a real network and a real clock. */
async function runDoctor(options: readonly string[], variables: Record<string, string> = {}) {
  const given = { ...place.variables, ...variables }
  const run = await runCli(['doctor', '--json', ...options], [], {
    fetch: (address, init) => fetch(address, init),
    wait: setTimeout,
    variables: given,
    loadDoctor: () => import('../src/operate/readiness/run-doctor.ts'),
  })
  const { items, server: checkedBy }: { items: Item[]; server: string | null } = JSON.parse(run.stdout)
  const find = (part: string) => items.find(item => item.part === part)
  return {
    ...run,
    checkedBy,
    find,
    states: Object.fromEntries(items.map(({ part, state }) => [part, state])),
  }
}
/** The tests' PostgreSQL runs without fsync, which must be reported. */
const databaseState = () => (place.databaseUrl === null ? 'ok' : 'fault')
const atServer = () => ['--url', server?.adminUrl ?? '']

describe('next to a running server', () => {
  test('the server checks itself, and its key with one call', async () => {
    const before = place.sandbox.counters().calls
    const { exitCode, states, find, stderr, checkedBy } = await runDoctor(atServer())
    expect(states).toMatchObject({
      configuration: 'ok',
      upstreams: 'ok',
      database: databaseState(),
      clock: 'ok',
      disk: 'ok',
      // Participants on other machines could not reach it.
      addresses: 'warning',
      secrets: 'ok',
      ports: 'ok',
      processes: 'ok',
    })
    expect(exitCode).toBe(place.databaseUrl === null ? 1 : 2)
    expect(find('upstreams')?.text).toContain('answered a call to')
    expect(stderr).toContain('One small call tries the key, for at most 0.0000')
    expect(checkedBy).not.toBeNull()
    expect(place.sandbox.counters().calls - before).toBe(1)
  })

  test('--no-calls sends nothing to the upstream', async () => {
    const before = place.sandbox.counters().calls
    const { find, stderr } = await runDoctor(['--no-calls', ...atServer()])
    expect(find('upstreams')?.text).toContain('1 key')
    expect(stderr).not.toContain('small call')
    expect(place.sandbox.counters().calls).toBe(before)
  })

  test('a key that the upstream rejects', async () => {
    place.sandbox.setKey(upstreamKey, 'revoked')
    try {
      const { exitCode, find } = await runDoctor(atServer())
      expect(exitCode).toBe(2)
      expect(find('upstreams')).toMatchObject({
        state: 'fault',
        fix: expect.stringContaining('Create a new key'),
      })
      expect(JSON.stringify(find('upstreams'))).not.toContain(upstreamKey)
    } finally {
      place.sandbox.setKey(upstreamKey, 'valid')
    }
  })

  test('a settings file that would not survive a restart', async () => {
    const settings = place.variables.FAIRGATE_CONFIG ?? ''
    const text = await Bun.file(settings).text()
    writeFileSync(settings, `${text}\nnonsense: 1\n`)
    try {
      const { find } = await runDoctor(['--no-calls', ...atServer()])
      expect(find('configuration')).toMatchObject({
        state: 'fault',
        text: expect.stringContaining('unknown setting nonsense'),
      })
    } finally {
      writeFileSync(settings, text)
    }
  })

  test('backups are checked on the machine of the command', async () => {
    const { find } = await runDoctor(['--no-calls', '--backups', place.folder, ...atServer()])
    expect(find('backups')).toMatchObject({ state: 'warning', text: `there is no backup in ${place.folder}` })
  })
})

describe('without a server', () => {
  beforeAll(async () => {
    await server?.stop()
    server = null
  })

  test('the same parts are checked here', async () => {
    const { checkedBy, states, find } = await runDoctor([], { FAIRGATE_ADMIN_PORT: '9' })
    expect(checkedBy).toBeNull()
    expect(states).toMatchObject({
      configuration: 'ok',
      upstreams: 'ok',
      database: databaseState(),
      disk: 'ok',
      secrets: 'ok',
      processes: 'ok',
    })
    expect(find('upstreams')?.text).toContain('answered a call to')
  })

  test('an open secret, another join key, an unknown setting', async () => {
    chmodSync(join(place.dataFolder, 'join-key'), 0o644)
    const other = { FAIRGATE_ADMIN_PORT: '9', FAIRGATE_JOIN_KEY: 'ab'.repeat(32) }
    const { exitCode, find } = await runDoctor(['--no-calls'], other)
    expect(exitCode).toBe(2)
    expect(find('secrets')).toMatchObject({
      state: 'fault',
      fix: expect.stringContaining('chmod 600'),
    })
    expect(find('processes')?.text).toContain('is not the one that this database was first used with')
    const unknown = await runDoctor([], { FAIRGATE_ADMIN_PORT: '9', FAIRGATE_ADMIN_PROT: '1' })
    expect(unknown.states).toEqual({ configuration: 'fault' })
    expect(unknown.find('configuration')?.text).toContain('FAIRGATE_ADMIN_PROT')
  })

  test('a named server must be reachable', async () => {
    const run = await runCli(['doctor', '--url', 'http://127.0.0.1:9'], [], {
      fetch: (address, init) => fetch(address, init),
    })
    expect(run.exitCode).toBe(3)
  })
})
