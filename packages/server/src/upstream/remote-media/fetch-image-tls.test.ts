// Over a real TLS server: a request to a bare address requires the certificate of the host's name.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchImage } from './fetch-image.ts'

const openssl = Bun.which('openssl')
if (openssl === null) console.log('SKIPPED: images over TLS. Debian: apt-get install openssl')

describe.skipIf(openssl === null)('over TLS', () => {
  let server: ReturnType<typeof Bun.serve>
  let certificate = ''
  const seen: (string | null)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-tls-'))

  beforeAll(() => {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -addext subjectAltName=DNS:images.example -keyout ${key} -out ${cert}`
    Bun.spawnSync([openssl ?? '', ...options.split(' ')])
    certificate = readFileSync(cert, 'utf8')
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: { key: readFileSync(key, 'utf8'), cert: certificate },
      fetch: request => {
        seen.push(request.headers.get('host'))
        if (request.url.endsWith('/bomb'))
          return new Response(Bun.gzipSync(new Uint8Array(1000)), {
            headers: { 'content-type': 'image/png', 'content-encoding': 'gzip' },
          })
        return new Response('PNG', { headers: { 'content-type': 'image/png' } })
      },
    })
  })

  afterAll(async () => {
    await server.stop(true)
    rmSync(folder, { recursive: true })
  })

  /** The public address is replaced by the local one at the last step; everything else is real. */
  const fetchFrom = (host: string, path = '/a.png') =>
    fetchImage(
      {
        resolve: async () => ['93.184.216.34'],
        fetch: (url, init) =>
          fetch(url.replace('93.184.216.34', `127.0.0.1:${server.port}`), {
            ...init,
            tls: { ...init.tls, ca: certificate },
          }),
      },
      `https://${host}${path}`,
      { left: 1000 },
      new AbortController().signal,
    )

  test('the right name', async () => {
    expect(await fetchFrom('images.example')).toEqual({ mimeType: 'image/png', base64: 'UE5H' })
    expect(seen).toEqual(['images.example'])
  })

  test('a compressed answer is not decompressed', async () => {
    const error = await fetchFrom('images.example', '/bomb').catch((cause: unknown) => cause)
    expect(String(error)).toContain('is compressed')
  })

  test('a name that the certificate lacks, also after the right one', async () => {
    const error = await fetchFrom('other.example').catch((cause: unknown) => cause)
    expect(String(error)).toContain('could not be reached')
    expect(seen).not.toContain('other.example')
  })
})
