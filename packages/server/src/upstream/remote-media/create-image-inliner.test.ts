// Images given by URL: which are fetched and how, and that everything else is refused with the part at fault.
import { describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Conversation } from '../port.ts'
import { createImageInliner, hasRemoteImages, type ImageInlinerDependencies } from './create-image-inliner.ts'

const publicAddress = '93.184.216.34'
const png = (bytes: Uint8Array | string = 'PNG', headers: Record<string, string> = {}) =>
  new Response(bytes, { headers: { 'content-type': 'image/png', ...headers } })

const image = (url: string) => ({ type: 'image_url', image_url: { url } }) as const
const requestOf = (...urls: string[]): Conversation => ({
  model: 'm',
  messages: [
    { role: 'system', content: 's' },
    { role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...urls.map(image)] },
  ],
})

function inlinerWith(changes: Partial<ImageInlinerDependencies> = {}) {
  const calls: [string, BunFetchRequestInit][] = []
  const inline = createImageInliner({
    resolve: async () => [publicAddress],
    fetch: async (url, init) => {
      calls.push([url, init])
      return png()
    },
    timeoutMs: 1000,
    ...changes,
  })
  return { calls, inline: (request: Conversation) => inline(request, new AbortController().signal) }
}

/** The refusal of the one image of a request. */
async function refusal(url: string, changes: Partial<ImageInlinerDependencies> = {}): Promise<string> {
  const { inline } = inlinerWith(changes)
  const error = await inline(requestOf(url)).then(
    () => null,
    (cause: unknown) => cause,
  )
  if (!(error instanceof ApiError)) throw new Error('The image was not refused.', { cause: error })
  expect([error.code, error.param]).toEqual(['invalid_request', 'messages[1].content[1].image_url.url'])
  return error.message.replace('The image at messages[1].content[1].image_url.url ', '')
}

test('the image is fetched from the checked address, under the name of its host, and put into the request', async () => {
  const { calls, inline } = inlinerWith()
  const inlined = await inline(requestOf('https://Images.Example/a%20b.png?c=d#e'))
  expect(inlined.messages[1]?.content).toEqual([
    { type: 'text', text: 'What is this?' },
    image('data:image/png;base64,UE5H'),
  ])
  expect(calls).toHaveLength(1)
  expect(calls[0]?.[0]).toBe(`https://${publicAddress}/a%20b.png?c=d`)
  expect(calls[0]?.[1]).toMatchObject({
    headers: { host: 'images.example' },
    tls: { serverName: 'images.example' },
    redirect: 'manual',
    keepalive: false,
  })
})

// Shown to fail by passing on the name instead of the checked address.
test('a name with a private second answer is resolved once, and called at its first address only', async () => {
  for (const second of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1']) {
    const answers = [[publicAddress], [second]]
    const { calls, inline } = inlinerWith({ resolve: async () => answers.shift() ?? [] })
    await inline(requestOf('https://rebinding.example/a.png'))
    expect(calls.map(([url]) => url)).toEqual([`https://${publicAddress}/a.png`])
    expect(answers).toEqual([[second]])
    // The next request asks again, and is refused.
    expect(await refusal('https://rebinding.example/a.png', { resolve: async () => [second] })).toContain(
      'has no public address',
    )
  }
})

test('an address given twice is fetched once; data URLs stay as they are', async () => {
  const { calls, inline } = inlinerWith()
  const data = 'data:image/png;base64,aGk='
  const inlined = await inline(requestOf('https://a.example/', data, 'https://a.example/'))
  expect(calls).toHaveLength(1)
  expect(inlined.messages[1]?.content).toMatchObject([{}, { type: 'image_url' }, image(data), {}])
})

test('images of tool results are fetched too', async () => {
  const content = [image('https://a.example/')]
  const request: Conversation = { model: 'm', messages: [{ role: 'tool', tool_call_id: 'a', content }] }
  expect(hasRemoteImages(request)).toBe(true)
  const inlined = await inlinerWith().inline(request)
  expect(inlined.messages[0]?.content).toEqual([image('data:image/png;base64,UE5H')])
})

test('a request without such images is returned unchanged', async () => {
  const request = requestOf('data:image/png;base64,aGk=')
  expect(hasRemoteImages(request)).toBe(false)
  expect(await inlinerWith().inline(request)).toBe(request)
  expect(hasRemoteImages(requestOf('HTTPS://a.example/'))).toBe(true)
})

test('an IPv4 address is preferred: it can be reached from everywhere', async () => {
  const { calls, inline } = inlinerWith({ resolve: async () => ['2606:4700::1111', publicAddress] })
  await inline(requestOf('https://a.example/x'))
  expect(calls[0]?.[0]).toBe(`https://${publicAddress}/x`)
})

test('an IPv6 address is written in brackets', async () => {
  const { calls, inline } = inlinerWith({ resolve: async () => ['2606:4700::1111'] })
  await inline(requestOf('https://a.example/x'))
  expect(calls[0]?.[0]).toBe('https://[2606:4700::1111]/x')
})

describe('refused addresses', () => {
  const rows: readonly [string, string, readonly string[], string][] = [
    ['credentials', 'https://user:pw@a.example/', [publicAddress], 'must not contain credentials.'],
    ['a port', 'https://a.example:8443/', [publicAddress], 'must not specify a port.'],
    ['no address', 'https://', [publicAddress], 'is not an https URL.'],
    ['loopback by name', 'https://localhost/', ['127.0.0.1'], 'has no public address.'],
    ['a name for cloud metadata', 'https://a.example/', ['169.254.169.254'], 'has no public address.'],
    ['one private of two', 'https://a.example/', [publicAddress, '10.0.0.1'], 'has no public address.'],
    ['a name without addresses', 'https://a.example/', [], 'has no public address.'],
    ['loopback in numbers', 'https://127.0.0.1/', [publicAddress], 'has no public address.'],
    ['loopback as one number', 'https://2130706433/', [publicAddress], 'has no public address.'],
    ['loopback in hex', 'https://0x7f.1/', [publicAddress], 'has no public address.'],
    ['loopback in IPv6', 'https://[::1]/', [publicAddress], 'has no public address.'],
    ['mapped loopback', 'https://[::ffff:127.0.0.1]/', [publicAddress], 'has no public address.'],
  ]
  test.each(rows)('%s', async (_name, url, addresses, message) => {
    const fetch = async () => {
      throw new Error('Nothing may be sent.')
    }
    expect(await refusal(url, { resolve: async () => addresses, fetch })).toBe(message)
  })

  test('a name that cannot be resolved', async () => {
    const resolve = async () => {
      throw new Error('ENOTFOUND')
    }
    expect(await refusal('https://a.example/', { resolve })).toBe('has no public address.')
  })
})

describe('refused answers', () => {
  const large = new Uint8Array(10 * 1024 * 1024 + 1)
  const endless = () =>
    new ReadableStream<Uint8Array>({ pull: controller => controller.enqueue(new Uint8Array(1024 * 1024)) })
  const rows: readonly [string, () => Response, string][] = [
    [
      'a redirect',
      () => new Response(null, { status: 302, headers: { location: 'https://10.0.0.1/' } }),
      'is a redirect. Send the URL that it leads to.',
    ],
    ['missing', () => new Response('', { status: 404 }), 'answered with status 404.'],
    [
      'HTML',
      () => new Response('x', { headers: { 'content-type': 'text/html' } }),
      'is not a PNG, JPEG, WebP, HEIC or HEIF image.',
    ],
    [
      'SVG',
      () => new Response('x', { headers: { 'content-type': 'image/svg+xml' } }),
      'is not a PNG, JPEG, WebP, HEIC or HEIF image.',
    ],
    ['declared as too large', () => png('x', { 'content-length': '99999999' }), 'is larger than 10 MiB.'],
    ['too large', () => png(large), 'is larger than 10 MiB.'],
    [
      'endless',
      () => new Response(endless(), { headers: { 'content-type': 'image/png' } }),
      'is larger than 10 MiB.',
    ],
    ['compressed', () => png('x', { 'content-encoding': 'gzip' }), 'is compressed.'],
    ['empty', () => png(''), 'is empty.'],
  ]
  test.each(rows)('%s', async (_name, answer, message) => {
    expect(await refusal('https://a.example/', { fetch: async () => answer() })).toBe(message)
  })

  test('the type may have a parameter', async () => {
    const { inline } = inlinerWith({ fetch: async () => png('x', { 'content-type': 'image/JPG; q=1' }) })
    const { messages } = await inline(requestOf('https://a.example/'))
    expect(messages[1]?.content?.[1]).toEqual(image('data:image/jpeg;base64,eA=='))
  })

  test('images that are too large together', async () => {
    const { inline } = inlinerWith({ fetch: async () => png(new Uint8Array(8 * 1024 * 1024)) })
    const refused = inline(requestOf('https://a.example/', 'https://b.example/', 'https://c.example/'))
    const error = await refused.catch((cause: unknown) => cause)
    expect(String(error)).toContain('is larger than 20 MiB together with the others')
  })
})

describe('time limits', () => {
  const never = () => new Promise<never>(() => undefined)
  test('a name server that does not answer', async () => {
    expect(await refusal('https://a.example/', { resolve: never, timeoutMs: 20 })).toBe('took too long.')
  })

  test('a host that does not answer', async () => {
    const fetch = (_url: string, { signal }: BunFetchRequestInit) =>
      new Promise<never>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')))
      })
    expect(await refusal('https://a.example/', { fetch, timeoutMs: 20 })).toBe('took too long.')
  })
})

test('too many images', async () => {
  const urls = Array.from({ length: 17 }, (_, index) => `https://a.example/${index}`)
  const error = await inlinerWith()
    .inline(requestOf(...urls))
    .catch((cause: unknown) => cause)
  expect(error).toMatchObject({ code: 'invalid_request', param: 'messages[1].content[17].image_url.url' })
})

test('too many concurrent requests: the next one is refused, and accepted once another has ended', async () => {
  let answer = () => undefined
  const gate = new Promise<void>(resolve => {
    answer = () => void resolve()
  })
  const { inline } = inlinerWith({
    fetch: async () => {
      await gate
      return png()
    },
  })
  const running = Array.from({ length: 32 }, () => inline(requestOf('https://a.example/')))
  const error = await inline(requestOf('https://a.example/')).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ code: 'unavailable' })
  answer()
  await Promise.all(running)
  expect(await inline(requestOf('https://a.example/'))).toBeDefined()
})
