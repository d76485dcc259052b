// suite: 12 s
// Revoked or exhausted upstream keys: calls continue with the others, operators are notified once, and the key comes back by itself.
//
// Shown to fail on the build before: of two keys one was revoked, and twenty calls were answered 200 502 200 502 … with a warning each.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createManagement } from './testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from './testing/spawn-fairgate.ts'
import {
  adminKey,
  createSurroundings,
  type Fairgate,
  type Surroundings,
  startFairgate,
} from './testing/start-fairgate.ts'

const [first, second] = ['upstream-key-number-1111', 'upstream-key-number-2222']
const keys = `${first},${second}`
const model = 'mm-2.5-flash'

const callAt = (gatewayUrl: string, key: string) => (path: string, body: object) =>
  fetch(`${gatewayUrl}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(path.startsWith('/vendor') ? { 'x-vendor-api-key': key } : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  })
const chat = { model, messages: [{ role: 'user', content: 'Hi' }] }

describe('calls and figures', () => {
  let fairgate: Fairgate
  let send: ReturnType<typeof callAt>
  let teams = 0
  let teamId: string
  let now = Date.now()
  let callAsAnother: (body: object) => Promise<number>
  beforeAll(async () => {
    fairgate = await startFairgate({ variables: { VENDOR_API_KEY: keys } }, () => now)
    const sendAsAnother = callAt(
      fairgate.gatewayUrl,
      await fairgate.manage.team('another', { max_budget: 10 }),
    )
    callAsAnother = async body => {
      const reply = await sendAsAnother('/v1/chat/completions', body)
      await reply.arrayBuffer()
      return reply.status
    }
  })
  beforeEach(async () => {
    teams += 1
    teamId = `team-${teams}`
    send = callAt(fairgate.gatewayUrl, await fairgate.manage.team(teamId, { max_budget: 10 }))
    fairgate.sandbox.setKey(first, 'valid')
    fairgate.sandbox.setKey(second, 'valid')
    // Beyond the longest rest: each key is tried once, and both are ready again.
    now += 24 * 3_600_000
    for (let call = 0; call < 4; call += 1) await statusOf('/v1/chat/completions', chat)
    expect(await states()).toEqual(['ready', 'ready'])
  })
  afterAll(() => fairgate.stop())

  const statusOf = async (path: string, body: object) => {
    const reply = await send(path, body)
    await reply.arrayBuffer()
    return reply.status
  }
  const health = async () => {
    const reply = await fetch(`${fairgate.adminUrl}/health/ready`)
    // These tests check its format.
    const { upstreams } = (await reply.json()) as { upstreams: { keys: { state: string }[] }[] }
    return upstreams
  }
  const states = async () => (await health())[0]?.keys.map(({ state }) => state)
  const vendorBody = { contents: [{ parts: [{ text: 'Hi' }] }] }

  const calls: readonly (readonly [string, object])[] = [
    ['/v1/chat/completions', chat],
    ['/v1/chat/completions', { ...chat, stream: true }],
    ['/v1/embeddings', { model: 'mm-embedding-001', input: 'Hi' }],
    [`/vendor/v1beta/models/${model}:generateContent`, vendorBody],
    [`/vendor/v1beta/models/${model}:streamGenerateContent?alt=sse`, vendorBody],
    ['/v1/videos', { model: 'video-3.1-fast-generate-001', prompt: 'Hi' }],
  ]

  /** A prompt that the sandbox refuses with any key. */
  const refused = '[[sandbox: error=429; retryDelay=500s; errorTimes=99]]'
  const refusedContents = { contents: [{ parts: [{ text: refused }] }] }
  const refusedChat = { model: 'mm-2.5-pro', messages: [{ role: 'user', content: refused }] }
  const provoked: readonly [string, object][] = [
    ['/v1/chat/completions', refusedChat],
    ['/v1/messages', { ...refusedChat, max_tokens: 8, stream: true }],
    ['/vendor/v1beta/models/mm-2.5-pro:generateContent', refusedContents],
    ['/vendor/v1beta/models/mm-2.5-pro:streamGenerateContent?alt=sse', refusedContents],
    ['/v1/videos', { model: 'video-3.1-fast-generate-001', prompt: refused }],
  ]

  test.each(['revoked', 'exhausted', 'busy'] as const)(
    'a key that is %s: the other key serves whole and streamed calls, embeddings, the pass-through and video orders',
    async state => {
      fairgate.sandbox.setKey(first, state)
      for (const [path, body] of calls) {
        expect([path, await statusOf(path, body)]).toEqual([path, 200])
        expect([path, await statusOf(path, body)]).toEqual([path, 200])
      }
      // A revoked key is paused for all at once. Other errors may be caused by the calls of one team.
      expect(await states()).toEqual([state === 'revoked' ? 'resting' : 'ready', 'ready'])
      await callAsAnother(chat)
      expect(await states()).toEqual(['resting', 'ready'])
    },
  )

  // Shown to fail on the build before: the second key was paused for all, and the other team's calls went to the first one and got 429.
  test.each(provoked)(
    'a team that the provider refuses at %s does not pause a key for other teams, whose calls succeed at the first attempt',
    async (path, body) => {
      fairgate.sandbox.setKey(first, 'busy')
      expect(await callAsAnother(chat)).toBe(200)
      expect(await statusOf(path, body)).toBe(429)
      const before = fairgate.sandbox.counters().calls
      for (let call = 0; call < 6; call += 1) expect(await callAsAnother(chat)).toBe(200)
      expect(fairgate.sandbox.counters().calls - before).toBe(6)
      expect(await states()).toEqual(['resting', 'ready'])
    },
  )

  test('only the admin door shows each key, by its id and last four characters; metrics show which one is paused', async () => {
    fairgate.sandbox.setKey(first, 'exhausted')
    await statusOf('/v1/chat/completions', chat)
    await callAsAnother(chat)
    const id = expect.stringMatching(/^[0-9a-f]{16}$/)
    const shown = await health()
    expect<unknown>(shown).toEqual([
      {
        upstream: 'vendor',
        last_outcome: 'ok',
        keys: [
          { id, key: '…1111', state: 'resting', fault: 'exhausted', next_trial_seconds: expect.any(Number) },
          { id, key: '…2222', state: 'ready' },
        ],
      },
    ])
    expect(JSON.stringify(shown)).not.toContain('upstream-key')
    const scrape = await (await fetch(`${fairgate.adminUrl}/metrics`)).text()
    expect(scrape).toMatch(
      /fairgate_upstream_key_benched\{upstream="vendor",key="[0-9a-f]{16}"\} 1\n.*\} 0\n/,
    )
    for (const url of [fairgate.gatewayUrl, fairgate.logbookUrl])
      expect(await (await fetch(`${url}/health/ready`)).text()).not.toContain('upstreams')
  })

  test('a key that works again is back after its pause, with one trial call', async () => {
    fairgate.sandbox.setKey(first, 'revoked')
    await statusOf('/v1/chat/completions', chat)
    fairgate.sandbox.setKey(first, 'valid')
    await statusOf('/v1/chat/completions', chat)
    expect(await states()).toEqual(['resting', 'ready'])
    now += 10_000
    await statusOf('/v1/chat/completions', chat)
    await statusOf('/v1/chat/completions', chat)
    expect(await states()).toEqual(['ready', 'ready'])
  })

  test('when all keys are rejected the client gets the usual error, nothing is charged, and the next call is attempted', async () => {
    fairgate.sandbox.setKey(first, 'revoked')
    fairgate.sandbox.setKey(second, 'revoked')
    const { spend } = (await fairgate.manage.teamInfo(teamId)).team_info
    for (let call = 0; call < 3; call += 1) expect(await statusOf('/v1/chat/completions', chat)).toBe(502)
    fairgate.sandbox.setKey(first, 'busy')
    fairgate.sandbox.setKey(second, 'busy')
    const busy = await send('/v1/chat/completions', chat)
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '31'])
    expect((await fairgate.manage.teamInfo(teamId)).team_info).toMatchObject({ spend, held: 0 })
    fairgate.sandbox.setKey(first, 'valid')
    fairgate.sandbox.setKey(second, 'valid')
    expect(await statusOf('/v1/chat/completions', chat)).toBe(200)
  })
})

describe('keys in a file, and the log', () => {
  let place: Surroundings
  let server: SpawnedFairgate
  let file: string
  let send: ReturnType<typeof callAt>
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairgate-keys-'))
    file = join(folder, 'vendor-keys')
    writeFileSync(file, `${first}\n${second}\n`)
    place = await createSurroundings({
      logLevel: 'info',
      variables: { VENDOR_API_KEY: '', VENDOR_API_KEY_FILE: file },
    })
    for (const key of [first, second]) place.sandbox.setKey(key, 'valid')
    server = await spawnFairgate({ variables: place.variables })
    const { team } = createManagement(server.adminUrl, adminKey)
    send = callAt(server.gatewayUrl, await team('team', { max_budget: 10 }))
  })
  afterAll(async () => {
    server.kill('SIGTERM')
    await server.exited
    rmSync(dirname(file), { recursive: true })
    await place.remove()
  })

  /** Warnings about the upstream only: the start also warns of models that retire. */
  const warnings = () =>
    server
      .output()
      .split('\n')
      .filter(line => line.startsWith('{"level":40') && line.includes('"upstream"'))

  test('one of two keys is revoked: 20 × 200 and one warning with the key id and cause, without the key itself', async () => {
    place.sandbox.setKey(first, 'revoked')
    const statuses: number[] = []
    for (let call = 0; call < 20; call += 1) {
      const reply = await send('/v1/chat/completions', chat)
      await reply.arrayBuffer()
      statuses.push(reply.status)
    }
    expect(statuses).toEqual(Array(20).fill(200))
    await server.printed('rejected and is benched')
    const [warning = '', ...more] = warnings()
    expect(more).toEqual([])
    expect(JSON.parse(warning)).toMatchObject({
      upstream: 'vendor',
      upstream_key: '…1111',
      fault: 'refused',
      cause: expect.stringContaining(
        'The vendor answered 403 PERMISSION_DENIED: Your API key was reported as leaked',
      ),
    })
    expect(server.output()).not.toContain(first)
  })

  test('a reload adds and removes keys while the server runs; an invalid file changes nothing and reports why', async () => {
    const manage = createManagement(server.adminUrl, adminKey)
    const statusOf = async () => {
      const reply = await send('/v1/chat/completions', chat)
      await reply.arrayBuffer()
      return reply.status
    }
    const reload = () => manage.call('POST', '/catalog/reload', {})
    expect(await statusOf()).toBe(200)
    writeFileSync(file, `${first}\n`)
    expect((await reload()).status).toBe(200)
    expect(await statusOf()).toBe(502)

    writeFileSync(file, `${first}\n${second} and more\n`)
    const refused = await reload()
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('VENDOR_API_KEY_FILE: line 2 of the file is not a key'),
    ])
    expect(await statusOf()).toBe(502)

    writeFileSync(file, `${first}\n${second}\n`)
    expect((await reload()).status).toBe(200)
    await server.printed('"added":["…2222"],"removed":[]')
    expect(await statusOf()).toBe(200)

    writeFileSync(file, `${first}\n`)
    server.kill('SIGHUP')
    // The reload above has printed it once.
    while (server.output().split('"added":[],"removed":["…2222"]').length < 3) await Bun.sleep(20)
    expect(await statusOf()).toBe(502)
    rmSync(file)
    server.kill('SIGHUP')
    await server.printed('VENDOR_API_KEY_FILE: the file cannot be read (ENOENT)')
    expect(await statusOf()).toBe(502)
    for (const key of [first, second]) expect(server.output()).not.toContain(key)
  })
})
