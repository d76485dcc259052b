// An in-memory object store for tests that checks each signature by AWS's own rules (Signature Version 4, authentication by query).
import { createHash, createHmac } from 'node:crypto'

export type TestObjectStore = {
  readonly url: string
  /** Names of the objects. */
  readonly list: () => string[]
  /** Number of downloads requested. */
  readonly countReads: () => number
  /** Fate of the next requests: they are served, get no answer, or get this status. */
  readonly meet: (fate: 'serve' | 'hang' | number) => void
  readonly stop: () => Promise<void>
}

export type Credentials = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  readonly bucket: string
}

export function startObjectStore(credentials: Credentials): TestObjectStore {
  const { bucket } = credentials
  const objects = new Map<string, Uint8Array>()
  let fate: Parameters<TestObjectStore['meet']>[0] = 'serve'
  let reads = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request, serving) => {
      serving.timeout(request, 0)
      if (request.method === 'GET') reads += 1
      if (fate === 'hang') return new Promise<Response>(() => undefined)
      if (typeof fate === 'number') return refuse(fate, 'SlowDown')
      const url = new URL(request.url)
      if (!isSigned(request, credentials)) return refuse(403, 'SignatureDoesNotMatch')
      if (!url.pathname.startsWith(`/${bucket}/`)) return refuse(404, 'NoSuchBucket')
      const name = decodeURIComponent(url.pathname.slice(bucket.length + 2))
      switch (request.method) {
        case 'PUT': {
          // S3 refuses an object without a length.
          if (request.headers.get('content-length') === null) return refuse(411, 'MissingContentLength')
          const bytes = await request.bytes()
          const digest = createHash('md5').update(bytes).digest('base64')
          if (request.headers.get('content-md5') !== digest) return refuse(400, 'BadDigest')
          objects.set(name, bytes)
          return new Response(null, { headers: { etag: `"${digest}"` } })
        }
        case 'GET': {
          const bytes = objects.get(name)
          if (bytes === undefined) return refuse(404, 'NoSuchKey')
          const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '')
          if (range === null) return new Response(bytes.slice())
          const [start, end] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)]
          if (start >= bytes.length) return refuse(416, 'InvalidRange')
          const headers = { 'content-range': `bytes ${start}-${end}/${bytes.length}` }
          return new Response(bytes.slice(start, end + 1), { status: 206, headers })
        }
        case 'DELETE':
          objects.delete(name)
          return new Response(null, { status: 204 })
        default:
          return refuse(405, 'MethodNotAllowed')
      }
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    list: () => [...objects.keys()].sort(),
    countReads: () => reads,
    meet: next => {
      fate = next
    },
    stop: () => server.stop(true),
  }
}

function refuse(status: number, code: string): Response {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>No.</Message></Error>`
  return new Response(text, { status, headers: { 'content-type': 'application/xml' } })
}

function isSigned(request: Request, { accessKeyId, secretAccessKey, region }: Credentials): boolean {
  const url = new URL(request.url)
  const given = (name: string) => url.searchParams.get(`X-Amz-${name}`) ?? ''
  const time = given('Date')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const begins = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  const age = (Date.now() - begins) / 1000
  if (!(age > -60 && age <= Number(given('Expires'))) || given('SignedHeaders') !== 'host') return false
  if (given('Credential') !== `${accessKeyId}/${scope}`) return false
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const canonical = [
    request.method,
    url.pathname,
    query,
    `host:${url.host}`,
    '',
    'host',
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const digest = createHash('sha256').update(canonical).digest('hex')
  const hmac = (key: string | Uint8Array, text: string) => createHmac('sha256', key).update(text).digest()
  const key = scope.split('/').reduce<string | Uint8Array>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, digest].join('\n')).toString('hex')
  return signature === given('Signature')
}
