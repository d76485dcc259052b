// Promises of the shipped nginx and Caddy files: restarts under load lose no call, nothing is sent twice, streams and bodies pass.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fileURLToPath } from 'node:url'
import type { JudgeCodesReply } from '@fairgate/contracts/judging/codes.ts'
import { listEveryRoute } from '../testing/door-routes.ts'
import { createManagement } from '../testing/management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../testing/spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings } from '../testing/start-fairgate.ts'
import { chat, expectChargedOnce, ProxyLoad } from './testing/load-proxy.ts'
import { sendRaw } from './testing/send-raw.ts'
import {
  gatewayUrl,
  judgingUrl,
  logbookUrl,
  type ProxyName,
  type RunningProxy,
  startProxy,
  trusting,
} from './testing/start-proxy.ts'

const settings = fileURLToPath(new URL('../../../../deploy/fairgate.yaml', import.meta.url))
const urls = {
  gatewayUrl: 'http://127.0.0.1:4000',
  logbookUrl: 'http://127.0.0.1:4001',
  adminUrl: 'http://127.0.0.1:4002',
}
const ports = { FAIRGATE_GATEWAY_PORT: '4000', FAIRGATE_LOGBOOK_PORT: '4001', FAIRGATE_ADMIN_PORT: '4002' }

/** A minimum: the load continues until both restarts are over. */
const total = 1000

describe.each<ProxyName>(['nginx', 'Caddy'])('behind %s', name => {
  let place: Surroundings
  let proxy: RunningProxy
  let server: SpawnedFairgate
  const start = () =>
    spawnFairgate({
      variables: {
        ...place.variables,
        ...ports,
        FAIRGATE_CONFIG: settings,
        FAIRGATE_JUDGING_URL: judgingUrl,
        FAIRGATE_TRUSTED_PROXIES: '127.0.0.1',
      },
      throughLauncher: true,
      ownGroup: true,
    })
  beforeAll(async () => {
    place = await createSurroundings()
    server = await start()
    proxy = await startProxy(name)
  })
  afterAll(async () => {
    await proxy.stop()
    server.kill('SIGINT')
    await server.exited
    await place.remove()
  })

  const stopAndStart = async () => {
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    server = await start()
  }
  const handOver = async () => {
    const isReady = () => server.output().split('Fairgate is ready.').length
    const before = isReady()
    process.kill(server.pid, 'SIGUSR2')
    while (isReady() === before) await Bun.sleep(10)
  }

  test.each<[string, () => Promise<void>]>([
    ['stopped and started', stopAndStart],
    ['replaced by a new one', handOver],
  ])(`a server that is %s twice loses none of ${total} calls`, async (how, restart) => {
    const team = how.replaceAll(' ', '-')
    const key = await createManagement('http://127.0.0.1:4002', adminKey).team(team)
    place.sandbox.resetCounters()
    place.sandbox.setSwitches({ firstByteDelayMs: 60, chunkDelayMs: 20, chunks: 4 })
    const load = new ProxyLoad(key, total)
    for (const reached of [total / 5, total / 2]) {
      await load.untilEnded(reached)
      await restart()
    }
    console.log(`${name}, ${how}: ${await load.end()}`)
    expect(load.failures).toEqual([])
    await expectChargedOnce(load.answers, { place, team, sandbox: place.sandbox })
  })

  test('a stream arrives event by event', async () => {
    const key = await createManagement('http://127.0.0.1:4002', adminKey).team('streams')
    place.sandbox.setSwitches({ chunkDelayMs: 1, chunks: 4, outputTokens: 40 })
    const release = place.holdUpstream()
    const reader = (await chat(key, true, { max_tokens: 100 })).body?.getReader()
    // The rest has not arrived yet.
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toStartWith('data: ')
    release()
    let text = ''
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read())
      text += new TextDecoder().decode(piece.value)
    expect(text).toEndWith('[DONE]\n\n')
  })

  test('large bodies pass, and Fairgate itself refuses those that are too large', async () => {
    const key = await createManagement('http://127.0.0.1:4002', adminKey).team('large')
    place.sandbox.setSwitches({})
    const image = (mebibytes: number) => ({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hello.' },
            {
              type: 'image_url',
              image_url: { url: `data:image/png;base64,${'A'.repeat(mebibytes * 1024 * 1024)}` },
            },
          ],
        },
      ],
    })
    expect((await chat(key, false, image(16))).status).toBe(200)
    const tooLarge = await chat(key, false, image(24))
    expect(tooLarge.status).toBe(413)
    expect(((await tooLarge.json()) as { error: { code: string } }).error.code).toBe('payload_too_large')
  })

  // Shown to fail without the comparison with the address as it was sent: `/judging/\..\..\teams` answered an organiser's key with the teams.
  test('of the admin door judges reach what they need, and nobody anything else', async () => {
    const manage = createManagement('http://127.0.0.1:4002', adminKey)
    await manage.post('/judging/judges', { judges: [{ name }] })
    const { items } = await manage.post<JudgeCodesReply>('/judging/codes', { judges: 'all' })
    const link = new URL(items[0]?.url ?? '')
    expect(link.href).toStartWith(`${judgingUrl}/judging#code=`)
    const page = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const code = link.hash.replace('#code=', '')
    const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
      sendRaw(method, path, { ...page, ...headers })
    const signedIn = await sendRaw('POST', '/judging/sign-in', page, JSON.stringify({ code }))
    expect(signedIn.status).toBe(200)
    expect(signedIn.head).toContain('; Secure')
    const cookie = /fairgate_session=[^;]+/.exec(signedIn.head)?.[0] ?? ''
    expect(await ask('GET', '/session', { cookie })).toMatchObject({ status: 200 })
    expect(await ask('GET', '/judging/queue?x=1', { cookie })).toMatchObject({ isOfFairgate: true })
    // With the key of an organiser, so that only the proxy decides.
    const key = { authorization: `Bearer ${adminKey}` }
    const routes = (await listEveryRoute(urls)).filter(({ door }) => door === 'admin')
    const paths = routes.map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, 'x')] as const)
    const spelled = ['teams', 'session/link', 'admin_keys'].flatMap(path => [
      `/judging/../${path}`,
      `/judging/%2e%2e/${path}`,
      `/judging/..%2f${path}`,
      `/judging/\\..\\..\\${path}`,
      `//${path}`,
      `/judging-page/../${path}`,
      `/${path}/..%2f..%2fjudging/x`,
      `/JUDGING/../${path}`,
      `/session/../${path}`,
    ])
    const asked = [
      ...paths,
      ...[...spelled, '/', '/console', '/docs', '/metrics'].map(path => ['GET', path] as const),
    ]
    const isForJudges = (method: string, path: string) =>
      path.startsWith('/judging/') ? !/\.\.|%2e/i.test(path) : path === '/session' && method !== 'POST'
    const wrong = await Promise.all(
      asked.map(async ([method, path]) => {
        const { isOfFairgate, status } = await ask(method, path, key)
        return isOfFairgate === isForJudges(method, path) ? [] : [`${method} ${path}: ${status}`]
      }),
    )
    expect(wrong.flat()).toEqual([])
  })

  test('the logbook and the public pages are reachable', async () => {
    const live = await fetch(`${logbookUrl}/health/live`, { tls: trusting })
    expect([live.status, await live.json()]).toEqual([200, { status: 'ok', door: 'logbook' }])
    expect((await fetch(`${gatewayUrl}/docs`, { tls: trusting })).status).toBe(200)
  })
})

describe.each<ProxyName>(['nginx', 'Caddy'])('%s in front of a server that breaks connections', name => {
  test('sends a call once, whatever happens to it, and passes on the address that it sees itself', async () => {
    let posts = 0
    const addresses = new Set<string | null>()
    const breaking = Bun.serve({
      hostname: '127.0.0.1',
      port: 4000,
      fetch: async (request, self) => {
        if (request.method !== 'POST') return new Response('ok')
        await request.text()
        posts += 1
        addresses.add(request.headers.get('x-forwarded-for'))
        // As a process that is killed after it has read the call.
        self.timeout(request, 1)
        return await new Promise<Response>(() => undefined)
      },
    })
    const proxy = await startProxy(name)
    try {
      const answer = await fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        body: '{"model":"mm-2.5-flash"}',
        headers: { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' },
        tls: trusting,
      })
      expect(answer.status).toBe(502)
      expect(posts).toBe(1)
      expect([...addresses]).toEqual(['127.0.0.1'])
    } finally {
      await proxy.stop()
      await breaking.stop(true)
    }
  })
})
