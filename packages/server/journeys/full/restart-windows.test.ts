// suite: full on sqlite and postgres; 77 s
// Request and token windows survive the process: exactly after a clean stop, and for every answered call after kill -9.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { startServer } from '../../src/main.ts'
import type { RunningServer } from '../../src/process/running-server.ts'
import { findTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { createManagement, type Management } from '../testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from '../testing/start-fairgate.ts'
import { runStored } from '../testing/stored-rows.ts'

const model = 'mm-2.5-flash'
const limitedModel = 'mm-2.5-flash-lite'
const shippedModels = readFileSync(resolve(import.meta.dir, '../../../../config/models.yaml'), 'utf8')
/** The shipped catalog, with a limit on one model for all teams together. */
const models = shippedModels.replace(`  ${limitedModel}:\n`, `  ${limitedModel}:\n    rpm_limit: 5\n`)

type Doors = { readonly gatewayUrl: string }

const chat = (doors: Doors, key: string, changes: object = {}) =>
  fetch(`${doors.gatewayUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }], ...changes }),
  })

async function countAnswers(doors: Doors, key: string, calls: number, changes: object = {}): Promise<number> {
  let answered = 0
  for (let call = 0; call < calls; call += 1) {
    const response = await chat(doors, key, changes)
    await response.text()
    if (response.status === 200) answered += 1
  }
  return answered
}

/** The window headers of a reply. */
function limitHeaders({ status, headers }: Response): Record<string, string> {
  const reported = [...headers].filter(([name]) => /^(x-ratelimit-|x-gateway-limit|retry-after)/.test(name))
  return { status: String(status), ...Object.fromEntries(reported) }
}

const tokenWindowUsed = async (response: Promise<Response>) => {
  const { headers } = await response
  return Number(headers.get('x-gateway-limit-used'))
}

// On PostgreSQL windows are rows of the database, which counts by its own clock: a restart moves nothing.
const describeOnSqlite = describe.skipIf(findTestPostgres() !== null)
describeOnSqlite('spec 8: a clean restart, on a clock that only moves by hand', () => {
  let place: Surroundings
  let server: RunningServer
  let manage: Management
  let now = Date.now()
  const start = async () => {
    server = await startServer(place.variables, { clock: () => now })
    manage = createManagement(server.adminUrl, adminKey)
  }
  const restart = async (between: () => Promise<unknown> = async () => undefined) => {
    expect(await server.stop()).toBe(true)
    await between()
    await start()
  }
  beforeAll(async () => {
    place = await createSurroundings({ models, logLevel: 'silent' })
    await start()
  })
  afterAll(async () => {
    await server.stop()
    await place.remove()
  })

  const five = { rpm_limit: 5 }
  const ofModel = { model_rpm_limit: { [model]: 5 } }
  const levels: readonly (readonly [level: string, team: object, key: object, call: object])[] = [
    ['team', five, {}, {}],
    ['key', {}, five, {}],
    ['team_model', ofModel, {}, {}],
    ['key_model', {}, ofModel, {}],
    ['service_model', {}, {}, { model: limitedModel }],
  ]

  // Shown to fail on the build before, when each of these keys had five more calls after the restart.
  test('requests: five pass in any 60 s, at every level, and announced retry times stay correct', async () => {
    const callers: { key: string; level: string; call: object }[] = []
    for (const [level, team, key, call] of levels)
      callers.push({ key: await manage.team(`rpm-${level}`, team, key), level, call })
    for (const { key, call } of callers) expect(await countAnswers(server, key, 3, call)).toBe(3)
    now += 10_000
    for (const { key, call } of callers) expect(await countAnswers(server, key, 3, call)).toBe(2)
    const reported: Record<string, string>[] = []
    for (const { key, call } of callers) reported.push(limitHeaders(await chat(server, key, call)))

    await restart()
    for (const [index, { key, level, call }] of callers.entries()) {
      const refused = await chat(server, key, call)
      expect(limitHeaders(refused)).toEqual(reported[index] ?? {})
      expect(refused.headers.get('x-gateway-limit-level')).toBe(level)
      expect(refused.headers.get('retry-after')).toBe('50')
    }
    now += 49_999
    for (const { key, call } of callers) expect(await countAnswers(server, key, 1, call)).toBe(0)
    now += 1
    await restart()
    for (const { key, call } of callers) expect(await countAnswers(server, key, 5, call)).toBe(3)
    now += 10_000
    for (const { key, call } of callers) expect(await countAnswers(server, key, 5, call)).toBe(2)
  })

  // Shown to fail on the build before: the windows are empty after the restart.
  test('tokens: used and returned amounts are exact', async () => {
    const limits: readonly (readonly [object, object])[] = [
      [{ tpm_limit: 1000 }, {}],
      [{}, { tpm_limit: 1000 }],
      [{ model_tpm_limit: { [model]: 1000 } }, {}],
      [{}, { model_tpm_limit: { [model]: 1000 } }],
    ]
    const keys: string[] = []
    for (const [index, [team, key]] of limits.entries())
      keys.push(await manage.team(`tpm-${index}`, team, key))
    // Reserves the whole limit and returns most of it; a second call takes the rest, and uses more.
    const long = { max_tokens: 900 }
    const longer = {
      messages: [{ role: 'user', content: 'Hi [[sandbox: outputTokens=1500]]' }],
      max_tokens: 2000,
    }
    for (const key of keys) {
      expect(await countAnswers(server, key, 1, { max_tokens: 16 })).toBe(1)
      now += 5000
      expect(await countAnswers(server, key, 1, long)).toBe(1)
    }
    const before = await Promise.all(keys.map(async key => limitHeaders(await chat(server, key, longer))))
    await restart()
    const after = await Promise.all(keys.map(async key => limitHeaders(await chat(server, key, longer))))
    expect(after).toEqual(before)
    expect(before.map(({ status }) => status)).toEqual(keys.map(() => '429'))
  })

  test('a changed limit, a deleted key and unreadable rows do not prevent the start', async () => {
    const key = await manage.team('changed', five)
    const other = await manage.key('changed')
    expect(await countAnswers(server, key, 3)).toBe(3)
    expect(await countAnswers(server, other, 3)).toBe(2)
    await manage.post('/key/delete', { keys: [other] })
    await restart()
    expect(await countAnswers(server, key, 2)).toBe(0)
    await manage.post('/team/update', { team_id: 'changed', rpm_limit: 7 })
    await restart()
    expect(await countAnswers(server, key, 3)).toBe(2)
    // Charges replace empty and missing rows, as after an upgrade.
    await restart(() => runStored(place, "update window_rows set changes = 'nothing that was written'", []))
    expect(await countAnswers(server, key, 3)).toBe(0)
    await restart(() => runStored(place, 'delete from window_rows', []))
    expect(await countAnswers(server, key, 3)).toBe(0)
    now += 60_000
    expect(await countAnswers(server, key, 8)).toBe(7)
  })

  test('a clock set back between two runs frees nothing and locks no one out for longer', async () => {
    const key = await manage.team('back', five)
    expect(await countAnswers(server, key, 6)).toBe(5)
    await restart(async () => {
      now -= 3_600_000
    })
    const refused = await chat(server, key)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    now += 60_000
    expect(await countAnswers(server, key, 6)).toBe(5)
  })
})

describe('spec 8: processes', () => {
  let place: Surroundings
  beforeAll(async () => {
    place = await createSurroundings()
  })
  afterAll(() => place.remove())
  let last: SpawnedFairgate
  afterEach(async () => {
    last.kill('SIGTERM')
    await last.exited
  })
  const spawn = async () => {
    const server = await spawnFairgate({ variables: place.variables })
    last = server
    return { server, manage: createManagement(server.adminUrl, adminKey) }
  }

  // Shown to fail on the build before: 10 of 5 within four seconds. What a clean stop keeps is counted above.
  test('a limit of 5 gives five answers across SIGKILL', async () => {
    const first = await spawn()
    const key = await first.manage.team('five', { rpm_limit: 5 })
    const greedy = await first.manage.team('five-tokens', { tpm_limit: 2000 })
    expect(await countAnswers(first.server, key, 6)).toBe(5)
    // 1,024 are reserved, 3,000 and more used.
    const long = {
      messages: [{ role: 'user', content: 'Hi [[sandbox: outputTokens=3000]]' }],
      max_tokens: undefined,
    }
    expect(await countAnswers(first.server, greedy, 1, long)).toBe(1)
    const used = await tokenWindowUsed(chat(first.server, greedy))
    expect(used).toBeGreaterThan(3000)
    first.server.kill('SIGKILL')
    await first.server.exited

    const second = await spawn()
    const refused = await chat(second.server, key)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(await countAnswers(second.server, key, 5)).toBe(0)
    expect(await tokenWindowUsed(chat(second.server, greedy))).toBe(used)
    second.server.kill('SIGTERM')
    await second.server.exited
  }, 300_000)

  // Shown to fail on the build before. Calls still unanswered at the kill count once the row of a second, or any commit, includes them.
  test('running and failed calls count after kill -9, from the next stored row on', async () => {
    const first = await spawn()
    const key = await first.manage.team('running', { rpm_limit: 5 })
    const failing = { messages: [{ role: 'user', content: 'Hi [[sandbox: error=400]]' }] }
    expect((await chat(first.server, key, failing)).status).toBeGreaterThanOrEqual(400)
    const release = place.holdUpstream()
    const slow = { messages: [{ role: 'user', content: 'Hi [[sandbox: firstByteDelayMs=1]]' }] }
    const running = Array.from({ length: 4 }, () => chat(first.server, key, slow).catch(() => null))
    while (place.sandbox.counters().running < 4) await Bun.sleep(2)
    const inRows = async () =>
      (await runStored<{ changes: string }>(place, 'select changes from window_rows', []))
        .flatMap(({ changes }) => JSON.parse(changes) as [string, string, null, number[]][])
        .filter(([level, owner]) => level === 'team' && owner === 'running')
        .reduce((sum, [, , , requests]) => sum + requests.length, 0)
    const inStates = async () => {
      const text = "select requests from limit_states where level = 'team:running'"
      return Number((await runStored<{ requests: string }>(place, text, []))[0]?.requests ?? 0)
    }
    /** Requests of the team that are on disk. */
    const written = place.databaseUrl === null ? inRows : inStates
    while ((await written()) < 5) await Bun.sleep(20)
    first.server.kill('SIGKILL')
    await first.server.exited
    release()
    await Promise.all(running)

    const second = await spawn()
    expect(await countAnswers(second.server, key, 3)).toBe(0)
  }, 300_000)

  // Shown to fail on the build before: 100 and more of 40. Calls may be missing that were admitted within the last second
  // and had no answer yet, here at most one per worker.
  test('repeated kills under load, in one minute: never more answers than the limit', async () => {
    const [limit, workers, kills] = [40, 8, 2]
    let { server, manage } = await spawn()
    const key = await manage.team('killed', { rpm_limit: limit })
    const upstreamCalls = place.sandbox.counters().calls
    const begunAt = performance.now()
    const answers: { readonly sent: number; readonly received: number }[] = []
    for (let round = 0; round <= kills; round += 1) {
      const isLast = round === kills
      const enough = Promise.withResolvers<void>()
      const before = answers.length
      let refused = 0
      const load = Array.from({ length: workers }, async (_, worker) => {
        for (let call = 0; call < 40; call += 1) {
          const sent = performance.now()
          const response = await chat(server, key, { stream: worker % 2 === 0 })
          const text = await response.text()
          if (response.status === 200 && (worker % 2 === 1 || text.endsWith('data: [DONE]\n\n')))
            answers.push({ sent, received: performance.now() })
          if (response.status === 429) refused += 1
          if (answers.length - before >= 12 || refused > 20) enough.resolve()
        }
      })
      const ended = Promise.allSettled(load)
      if (!isLast) {
        await enough.promise
        server.kill('SIGKILL')
        await server.exited
      }
      await ended
      if (!isLast) server = (await spawn()).server
    }
    expect(answers.length).toBeGreaterThan(limit / 2)
    for (const first of answers) {
      const within = answers.filter(
        ({ sent, received }) => sent >= first.sent && received < first.sent + 60_000,
      )
      expect(within.length).toBeLessThanOrEqual(limit)
    }
    // On a machine too busy to do all this within a minute, the first calls have left the window.
    if (performance.now() - begunAt < 60_000)
      expect(place.sandbox.counters().calls - upstreamCalls).toBeLessThanOrEqual(limit + kills * workers)
  }, 300_000)
})
