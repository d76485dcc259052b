// The documents and files of the pages: their policy, their caching in browsers, and missing files.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Manifest } from '@fairgate/console/open-pages.ts'
import { createPages } from './serve-pages.ts'

const app = { script: 'main-1.js', style: 'main-1.css', preload: ['shared-1.js'] }
const file = { type: 'text/javascript; charset=utf-8', bytes: 900, gzip: 300, brotli: 200 }
const manifest: Manifest = {
  apps: { admin: app, judge: app, team: app, wall: app },
  schemeScript: 'scheme-1.js',
  joinScript: 'join-1.js',
  font: 'inter-1.woff2',
  files: {
    'main-1.js': file,
    'inter-1.woff2': { type: 'font/woff2', bytes: 100, gzip: 100, brotli: 100 },
  },
}

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairgate-pages-'))
  for (const [name, text] of [
    ['main-1.js', 'plain'],
    ['main-1.js.gz', 'gzip'],
    ['main-1.js.br', 'brotli'],
    ['inter-1.woff2', 'font'],
    ['manifest.json', '{}'],
  ] as const)
    writeFileSync(join(folder, name), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function openDocuments(open = async () => ({ folder, manifest })) {
  const failures: unknown[] = []
  const pages = createPages({ open, reportFailure: error => failures.push(error) })
  const documents = pages.documents('admin', '/console-page', ['/console', '/console/*'])
  const ask = async (path: string, address: string, headers: Record<string, string> = {}) =>
    await documents[path]?.(new Request(`http://door${address}`, { headers }))
  return { ask, failures }
}
const askFile = (address: string, headers = {}) =>
  openDocuments().ask('/console-page/:file', address, headers)

describe('a document', () => {
  test('has a policy without external sources, and a new nonce each time', async () => {
    const { ask } = openDocuments()
    const replies = await Promise.all(['/console', '/console/teams'].map(path => ask('/console/*', path)))
    const nonces = await Promise.all(
      replies.map(async reply => {
        const policy = reply?.headers.get('content-security-policy') ?? ''
        const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? []
        expect(policy.split('; ')).toEqual([
          "default-src 'none'",
          "script-src 'self'",
          `style-src 'self' 'nonce-${nonce}'`,
          "style-src-attr 'none'",
          "img-src 'self' data:",
          "font-src 'self'",
          "connect-src 'self'",
          "base-uri 'none'",
          "form-action 'self'",
          "frame-ancestors 'none'",
        ])
        expect(reply?.headers.get('cache-control')).toBe('no-store')
        const text = (await reply?.text()) ?? ''
        expect(text).toContain(`<meta name="csp-nonce" content="${nonce}">`)
        expect(text).toContain('src="/console-page/main-1.js"')
        expect(text).toContain('href="/console-page/shared-1.js"')
        // Nothing that the policy would block.
        expect(text).not.toMatch(/<script>|style=|onload=/)
        return nonce
      }),
    )
    expect(nonces[0]).toHaveLength(24)
    expect(nonces[0]).not.toBe(nonces[1])
  })

  test('that could not be built is a 503, logged, and built on the next request', async () => {
    let isBroken = true
    const { ask, failures } = openDocuments(async () => {
      if (isBroken) throw new Error('no bundler')
      return { folder, manifest }
    })
    const failure = await ask('/console', '/console').catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'unavailable', status: 503 })
    expect(failures).toHaveLength(1)
    isBroken = false
    expect((await ask('/console', '/console'))?.status).toBe(200)
  })
})

describe('a file', () => {
  test.each([
    ['br, gzip', 'br', 'brotli'],
    ['gzip, deflate', 'gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip', 'gzip'],
    ['', null, 'plain'],
  ] as const)('for a browser that accepts %j', async (accepted, encoding, text) => {
    const reply = await askFile('/console-page/main-1.js', { 'accept-encoding': accepted })
    expect(reply?.headers.get('content-encoding') ?? null).toBe(encoding)
    expect(reply?.headers.get('cache-control')).toContain('immutable')
    expect(await reply?.text()).toBe(text)
  })

  test('that is already compressed is sent as it is', async () => {
    const reply = await askFile('/console-page/inter-1.woff2', { 'accept-encoding': 'br' })
    expect([reply?.headers.get('content-type'), await reply?.text()]).toEqual(['font/woff2', 'font'])
  })

  test.each(['manifest.json', 'main-2.js', '__proto__', 'constructor', '..%2fmanifest.json', 'main-1.js.gz'])(
    'named %s is not found',
    async name => {
      const failure = await askFile(`/console-page/${name}`).catch((error: unknown) => error)
      expect(failure).toMatchObject({ code: 'not_found' })
    },
  )
})
