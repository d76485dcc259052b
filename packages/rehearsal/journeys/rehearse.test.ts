// suite: 8 s
// `npm run rehearse`: on its own server, on a running one, interrupted, and refused when it would spend real money.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { adminKey, type Fairgate, startFairgate } from '../../server/journeys/testing/start-fairgate.ts'
import { runCommand } from '../../server/src/cli/command-failure.ts'
import type { RehearsalWorld } from '../src/load/rehearsal-team.ts'
import { type RehearsalRequest, runRehearsal } from '../src/load/run-rehearsal.ts'
import { buildRehearseCommand, type RehearseDependencies } from '../src/rehearse-command.ts'
import { startOwnServer } from '../src/start-own-server.ts'

const world: RehearsalWorld = {
  fetch,
  stopwatch: () => performance.now(),
  clock: Date.now,
  random: Math.random,
  wait: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
}

const periodMs = 3_600_000

/** A world in which the time is up after this many answered calls, on fast and slow machines alike. */
function worldOf(calls: number): RehearsalWorld {
  const enough = Promise.withResolvers<void>()
  let answered = 0
  return {
    ...world,
    // Members pause for the shortest time.
    random: () => 0,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      if (/\/(?:chat\/completions|embeddings)$/.test(url) && response.ok) answered += 1
      if (answered >= calls) enough.resolve()
      return response
    },
    wait: (milliseconds, signal) =>
      milliseconds === periodMs
        ? Promise.race([enough.promise, world.wait(milliseconds, signal)])
        : world.wait(milliseconds, signal),
  }
}

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

const request = (changes: Partial<RehearsalRequest> = {}): RehearsalRequest => ({
  teams: 4,
  milliseconds: periodMs,
  budget: 5,
  name: 'rehearsal',
  server: { ...fairgate, adminKey, machine: null },
  interrupted: new AbortController().signal,
  report: () => undefined,
  ...changes,
})

test('on its own server, the figures add up and nothing is left behind', async () => {
  const place = mkdtempSync(join(tmpdir(), 'fairgate-rehearse-test-'))
  const own = await startOwnServer(
    { PATH: process.env.PATH, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' },
    place,
  )
  try {
    const result = await runRehearsal(request({ server: own.server }), worldOf(12))
    expect(result).toMatchObject({ teams: 4, failures: {}, entries_missing: 0, is_interrupted: false })
    expect(result.calls).toBeGreaterThanOrEqual(12)
    expect(result.entries).toBeGreaterThan(0)
    expect(result.disk_bytes_per_hour).toBeGreaterThan(0)
    expect(result.peak_memory_bytes).toBeGreaterThan(1e6)
    expect(result.money).toEqual({ spend_nano: result.told_cost_nano, proven: true })
    expect(result.told_cost_nano).toBeGreaterThan(0)
    expect(result.verdict).not.toBe('not ready')
  } finally {
    await own.stop()
  }
  expect(readdirSync(place)).toEqual([])
  rmSync(place, { recursive: true })
})

test('on a running server, its teams end up blocked and without keys', async () => {
  const result = await runRehearsal(request({ name: 'guest' }), worldOf(6))
  // A busy machine may get a remark on its speed.
  expect(result).toMatchObject({ failures: {}, entries_missing: 0, disk_bytes_per_hour: null })
  expect(result.verdict).not.toBe('not ready')
  expect(await fairgate.manage.teamInfo('guest-001')).toMatchObject({ team_info: { blocked: true } })
  const keys = await (await fairgate.manage.call('GET', '/key/list?team_id=guest-001')).json()
  expect(keys).toMatchObject({ keys: [] })
})

test('an interrupted rehearsal returns the figures so far', async () => {
  const interruption = new AbortController()
  const counting = worldOf(Number.POSITIVE_INFINITY)
  let calls = 0
  const result = await runRehearsal(request({ name: 'short', interrupted: interruption.signal }), {
    ...counting,
    fetch: async (url, init) => {
      const response = await counting.fetch(url, init)
      if (url.endsWith('/chat/completions') && response.ok) calls += 1
      if (calls === 3) interruption.abort()
      return response
    },
  })
  expect(result.is_interrupted).toBe(true)
  expect(result.calls).toBeGreaterThan(2)
  expect(result.money.spend_nano).toBe(result.told_cost_nano)
})

test("a server's refusal is reported with its reason", async () => {
  const server = { ...fairgate, adminKey: 'another-key-of-16', machine: null }
  const failed = await runRehearsal(request({ server }), world).catch((error: Error) => error.message)
  expect(failed).toContain('/catalog was refused (HTTP 401)')
})

/** Runs the command in this process. */
async function runRehearse(options: readonly string[], changes: Partial<RehearseDependencies> = {}) {
  const output: string[] = []
  const errors: string[] = []
  const writeError = (text: string) => void errors.push(text)
  const command = buildRehearseCommand({
    fetch: (address, init) => fetch(address, init),
    writeOutput: text => void output.push(text),
    writeError,
    variables: { FAIRGATE_ADMIN_KEY: adminKey },
    readTextFile: () => Promise.reject(new Error('The test has no file.')),
    startServer: () => Promise.reject(new Error('The test starts no server.')),
    run: () => Promise.reject(new Error('The test rehearses nothing.')),
    noteRun: () => undefined,
    onInterrupt: () => () => undefined,
    ...changes,
  })
  const exitCode = await runCommand(command, options, writeError)
  return { exitCode, stdout: output.join(''), stderr: errors.join('') }
}

test('the command refuses a server with a real provider, and one without door addresses', async () => {
  const run = (...options: string[]) => runRehearse(['--url', fairgate.adminUrl, ...options])
  const doors = ['--gateway-url', fairgate.gatewayUrl, '--logbook-url', fairgate.logbookUrl]
  expect(await run()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--gateway-url') })
  expect(await run(...doors)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('would cost real money'),
  })
  expect(await run(...doors, '--spend-real-money')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--budget'),
  })
  expect(await run('--teams', '0')).toMatchObject({ exitCode: 2 })
})

test('the command prints the results, and its exit code shows whether the server is ready', async () => {
  const result = await runRehearsal(request({ name: 'printed' }), worldOf(3))
  const noted: string[] = []
  const print = (verdict: 'ready' | 'not ready', options: string[] = []) =>
    runRehearse(options, {
      startServer: async () => ({
        server: { ...fairgate, adminKey, machine: null },
        stop: async () => undefined,
      }),
      run: async () => ({ ...result, verdict }),
      noteRun: () => noted.push(verdict),
    })
  const ready = await print('ready')
  expect(ready.exitCode).toBe(0)
  expect(ready.stdout).toContain('totals verified')
  expect(JSON.parse((await print('ready', ['--json'])).stdout)).toMatchObject({ verdict: 'ready', teams: 4 })
  expect((await print('not ready')).exitCode).toBe(1)
  expect(noted).toEqual(['ready', 'ready', 'not ready'])
})
