// The logbook door offers the recorder to everyone: a program, a package, scripts and a page that agree with each other.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate()
})
afterAll(() => fairgate.stop())

const get = (path: string, options: RequestInit = {}) => fetch(`${fairgate.logbookUrl}${path}`, options)
const paths = [
  '/recorder',
  '/recorder/install.sh',
  '/recorder/install.ps1',
  '/recorder/fairgate-recorder.cjs',
  '/recorder/fairgate-recorder.tgz',
] as const
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe.each([...paths])('%s', path => {
  test('needs no token, is always the same, and is not sent again if unchanged', async () => {
    const [first, second] = await Promise.all([get(path), get(path)])
    expect(first.status).toBe(200)
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const body = await first.bytes()
    expect(await second.bytes()).toEqual(body)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toBe(`"${digest(body)}"`)
    const known = await get(path, { headers: { 'if-none-match': `W/"x", ${etag}` } })
    expect([known.status, await known.text()]).toEqual([304, ''])
    const head = await get(path, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await get(path, { method: 'POST' })).status).toBe(405)
  })

  test('contains the configured address, whatever the Host header', async () => {
    const text = await (await get(path, { headers: { host: 'evil.example.org' } })).text()
    expect(text).not.toContain('evil.example.org')
  })
})

test('the page is also found with a trailing slash', async () => {
  const response = await get('/recorder/')
  expect([response.status, response.url]).toEqual([200, `${fairgate.logbookUrl}/recorder`])
})

test('both scripts contain the digest of the program', async () => {
  const program = await (await get('/recorder/fairgate-recorder.cjs')).bytes()
  for (const path of ['/recorder/install.sh', '/recorder/install.ps1', '/recorder'])
    expect(await (await get(path)).text()).toContain(digest(program))
})

test('the package contains the program, its manifest and the licence', async () => {
  const packed = gunzipSync(await (await get('/recorder/fairgate-recorder.tgz')).bytes())
  const files = await new Bun.Archive(packed).files()
  const text = (name: string) => files.get(`package/${name}`)?.text() ?? ''
  const program = await (await get('/recorder/fairgate-recorder.cjs')).text()
  expect(await text('fairgate-recorder.cjs')).toBe(program)
  expect(JSON.parse(await text('package.json'))).toMatchObject({
    name: 'fairgate-recorder',
    bin: { 'fairgate-recorder': 'fairgate-recorder.cjs' },
  })
  expect(await text('LICENSE')).toContain('Apache License')
})

test('the other doors do not serve it', async () => {
  for (const url of [fairgate.gatewayUrl, fairgate.adminUrl])
    expect((await fetch(`${url}/recorder/install.sh`)).status).toBe(404)
})
