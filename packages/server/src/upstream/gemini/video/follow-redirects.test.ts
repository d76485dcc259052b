// Downloads that the vendor redirects go to checked addresses, pinned, without the key, and not forever.
import { describe, expect, test } from 'bun:test'
import { failureOf } from '../../../store/testing/failure-of.ts'
import { KeyRing } from '../../key-ring.ts'
import { exchangeDependencies } from '../../testing/exchange-dependencies.ts'
import { createGeminiUpstream } from '../create-gemini-upstream.ts'

const addresses: Readonly<Record<string, readonly string[]>> = {
  'storage.example': ['93.184.216.34'],
  'second.example': ['2606:2800:220:1::1'],
  'inside.example': ['10.0.0.7'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
}

const keys = new KeyRing(['our-key'], { clock: () => 0, random: () => 0 })
const { id: upstreamKey } = keys.next('red')

/** Answers in turn; a text is the target of a redirect. */
function setUp(...answers: readonly (string | number)[]) {
  const asked: { url: string; headers: Headers; tls: unknown }[] = []
  const { video } = createGeminiUpstream({
    ...exchangeDependencies(),
    fetch: async (url, init) => {
      asked.push({ url, headers: new Headers(init.headers), tls: init.tls })
      expect(init.redirect).toBe('manual')
      expect(init.decompress).toBe(false)
      const answer = answers[asked.length - 1] ?? 200
      return typeof answer === 'number'
        ? new Response('video', { status: answer })
        : new Response(null, { status: 302, headers: { location: answer } })
    },
    resolve: async host => addresses[host] ?? [],
    baseUrl: 'https://vendor.example',
    keys,
    newToolCallId: () => '',
    clock: () => 0,
  })
  const run = () =>
    video.openFile({ file: 'f', upstreamKey, range: 'bytes=0-1', signal: new AbortController().signal })
  return { run, asked }
}

test('requests public storage at the checked address, under its name, for the same range, without the key', async () => {
  const { run, asked } = setUp('https://storage.example/video?signature=1')
  expect((await run()).status).toBe(200)
  const [first, second] = asked
  expect(first?.headers.get('x-goog-api-key')).toBe('our-key')
  expect(second?.url).toBe('https://93.184.216.34/video?signature=1')
  expect(second?.tls).toEqual({ serverName: 'storage.example' })
  expect(['host', 'range', 'x-goog-api-key'].map(name => second?.headers.get(name) ?? null)).toEqual([
    'storage.example',
    'bytes=0-1',
    null,
  ])
})

test('a relative address is resolved against its source, IPv6 is in brackets, and three hops are followed', async () => {
  const { run, asked } = setUp('https://storage.example/a', '/b', 'https://second.example/c')
  await run()
  expect(asked.map(({ url }) => url)).toEqual([
    'https://vendor.example/v1beta/files/f:download?alt=media',
    'https://93.184.216.34/a',
    'https://93.184.216.34/b',
    'https://[2606:2800:220:1::1]/c',
  ])
})

test("the upstream's own origin is requested as configured", async () => {
  const { run, asked } = setUp('/storage/f')
  await run()
  expect(asked[1]?.url).toBe('https://vendor.example/storage/f')
  expect(asked[1]?.headers.get('x-goog-api-key')).toBeNull()
})

describe('never requested', () => {
  test.each([
    ['a private host', ['https://inside.example/f']],
    ['one that is inside as well', ['https://mixed.example/f']],
    ['one without an address', ['https://nowhere.example/f']],
    ['this machine', ['https://127.0.0.1/f']],
    ['plain http', ['http://storage.example/f']],
    ['another port', ['https://storage.example:8443/f']],
    ['a name with a word', ['https://user:word@storage.example/f']],
    ['no address at all', ['']],
    ['another scheme', ['gopher://storage.example/f']],
    ['a second hop to a private host', ['https://storage.example/f', 'https://inside.example/f']],
    ['a fourth hop', ['/1', '/2', '/3', '/4']],
  ])('%s', async (_, answers) => {
    const { run, asked } = setUp(...answers)
    expect(await failureOf(run())).toMatchObject({ code: 'upstream_error' })
    expect(asked.length).toBe(answers.length)
    for (const { url } of asked) expect(url).not.toMatch(/127\.0\.0\.1|10\.0\.0\.7|user:word/)
  })
})
