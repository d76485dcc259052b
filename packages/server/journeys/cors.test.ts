// suite: 6 s
// Which replies pages of other origins can read: those of routes that take a key in a header, and of no other route of any door.
// Shown to fail with `isCrossOrigin: true` on the routes of open-team-page.ts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OpenapiDocument } from '../src/http/openapi.ts'
import { readReply } from './testing/door-routes.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

const page = 'http://page.example'
let fairgate: Fairgate
let key: string
beforeAll(async () => {
  fairgate = await startFairgate({ variables: { FAIRGATE_TRUSTED_PROXIES: '127.0.0.0/8' } })
  key = await fairgate.manage.team('red', { max_budget: 10, rpm_limit: 3 })
})
afterAll(() => fairgate.stop())

type Asked = { readonly url: string; readonly method: string }

/** Pages and files that no document lists. */
const furtherPaths: Readonly<Record<string, readonly string[]>> = {
  gateway: [
    '/',
    '/sign-in',
    '/log',
    '/limits',
    '/ask',
    '/wall/wt_x',
    '/docs',
    '/openapi.json',
    '/health/live',
  ],
  logbook: ['/', '/docs', '/openapi.json', '/recorder', '/health/live'],
  admin: ['/', '/console', '/docs', '/openapi.json', '/metrics', '/health/live'],
}

/** Addresses of images have a signature instead of a key. */
const isImage = (path: string) => /^(?:\/v1)?\/images\/\{/.test(path)

/** Each route of each door, and whether it takes a key in a header and nothing else, or is the address of an image. */
async function listRoutes(): Promise<(Asked & { readonly isOpen: boolean })[]> {
  const urls = { gateway: fairgate.gatewayUrl, logbook: fairgate.logbookUrl, admin: fairgate.adminUrl }
  const lists = Object.entries(urls).map(async ([door, url]) => {
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenapiDocument
    const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { security }]) => ({
        url: url + path.replaceAll(/\{[^}]+\}/g, 'x'),
        method: method.toUpperCase(),
        isOpen:
          door === 'gateway' && (isImage(path) || security?.length !== 0) && !/^\/self(\/|$)/.test(path),
      })),
    )
    const others = (furtherPaths[door] ?? []).map(path => ({ url: url + path, method: 'GET', isOpen: false }))
    return [...routes, ...others]
  })
  return (await Promise.all(lists)).flat()
}

const corsOf = ({ headers }: Response) =>
  [...headers.keys()].filter(name => name.startsWith('access-control-'))

describe('every route of every door', () => {
  test('answers other origins if it takes a key in a header or shows an image, and never otherwise', async () => {
    const routes = await listRoutes()
    const joinsAndSignsIn = ['/join/x', '/join/t/x', '/self', '/self/session', '/wall/x/state', '/api/ingest']
    for (const path of joinsAndSignsIn)
      expect(routes.some(({ url, isOpen }) => url.endsWith(path) && !isOpen)).toBe(true)
    expect(routes.filter(({ isOpen }) => isOpen).length).toBeGreaterThan(50)
    const seen = await Promise.all(
      routes.map(async ({ url, method }, number) => {
        const headers = { origin: page, 'x-forwarded-for': `10.0.${number >> 8}.${number & 255}` }
        const asked = await fetch(url, {
          method: 'OPTIONS',
          headers: { ...headers, 'access-control-request-method': method },
        })
        const sent = await fetch(url, { method, headers, redirect: 'manual' })
        await readReply(sent)
        const allowed = asked.headers.get('access-control-allow-methods')?.split(', ') ?? []
        const readers = [asked, sent].map(reply => reply.headers.get('access-control-allow-origin'))
        const isClosed = corsOf(asked).length + corsOf(sent).length === 0
        const isOpen = asked.status === 204 && allowed.includes(method) && readers.every(each => each === '*')
        return { url, method, answers: isOpen ? 'open' : isClosed ? 'closed' : 'mixed' }
      }),
    )
    expect(seen).toEqual(
      routes.map(({ url, method, isOpen }) => ({ url, method, answers: isOpen ? 'open' : 'closed' })),
    )
  }, 300_000)
})

test('replies that go wrong, and streams, can be read too; none lets a browser send its cookies', async () => {
  const ask = (headers: Record<string, string>, more: object = {}) =>
    fetch(`${fairgate.gatewayUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { origin: page, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'mm-2.5-flash', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    })
  const bearer = { authorization: `Bearer ${key}` }
  const replies = [
    await ask({ authorization: 'Bearer sk-nobody' }),
    await ask(bearer, { model: 'nope' }),
    await ask(bearer),
    await ask(bearer, { stream: true }),
    await ask(bearer),
    await ask(bearer),
  ]
  expect(replies.map(({ status }) => status)).toEqual([401, 404, 200, 200, 200, 429])
  for (const reply of replies) {
    await reply.text()
    expect(reply.headers.get('access-control-allow-origin')).toBe('*')
    expect(reply.headers.has('access-control-allow-credentials')).toBe(false)
    const exposed = reply.headers.get('access-control-expose-headers')?.split(', ') ?? []
    const own = [...reply.headers.keys()].filter(name => /^(x-|retry-|www-|request-id)/.test(name))
    expect(own.filter(name => !exposed.includes(name))).toEqual([])
  }
})

test('the setting lists the origins', async () => {
  const listed = await startFairgate({ settings: `gateway: { cors_origins: ['${page}'] }` })
  try {
    const readerOf = async (origin: string) =>
      (await fetch(`${listed.gatewayUrl}/v1/models`, { headers: { origin } })).headers.get(
        'access-control-allow-origin',
      )
    expect(await readerOf(page)).toBe(page)
    expect(await readerOf('http://other.example')).toBeNull()
  } finally {
    await listed.stop()
  }
})
