// Servers that a recorder may meet on its way: strangers, which note the credentials that they see, and proxies.
import { readFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'

export type Listener = {
  readonly url: string
  readonly port: number
  readonly answer: (request: Request) => Response
  readonly requests: () => number
  /** The `authorization` headers that arrived, in order. */
  readonly credentials: () => string[]
  readonly stop: () => Promise<void>
}

export type Certificate = { readonly key: string; readonly cert: string; readonly file: string }

export function startListener(answer: (request: Request) => Response, tls?: Certificate): Listener {
  const credentials: string[] = []
  let requests = 0
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    ...(tls === undefined ? {} : { tls: { key: tls.key, cert: tls.cert } }),
    fetch: async request => {
      await request.text()
      requests += 1
      const credential = request.headers.get('authorization')
      if (credential !== null) credentials.push(credential)
      return answer(request)
    },
  })
  const port = server.port ?? 0
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    answer,
    requests: () => requests,
    credentials: () => [...credentials],
    stop: () => server.stop(true),
  }
}

export function makeCertificate(folder: string, name: string): Certificate {
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const line = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ]
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const made = Bun.spawnSync(['openssl', ...line, ...names, '-keyout', key, '-out', file])
  if (made.exitCode !== 0) throw new Error(`openssl: ${made.stderr}`)
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(file, 'utf8'), file }
}

export type Proxy = {
  readonly port: number
  /** What it was asked for, with the credentials it saw. */
  readonly asked: () => string[]
  readonly stop: () => Promise<void>
}

/** `known` maps each host that it can reach to the port on this machine that stands in for it. */
export async function startProxy(known: Readonly<Record<string, number>>): Promise<Proxy> {
  const asked: string[] = []
  const sockets = new Set<{ destroy: () => unknown }>()
  const credentialOf = (header: string | undefined) =>
    header === undefined ? '' : ` ${Buffer.from(header.replace('Basic ', ''), 'base64')}`
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const port = known[`${new URL(request.url ?? '').hostname}:80`]
    const { pathname } = new URL(request.url ?? '')
    const onward = forward({
      host: '127.0.0.1',
      port,
      path: pathname,
      method: request.method,
      headers: request.headers,
    })
    onward.on('response', reply => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    request.pipe(onward)
  })
  server.on('connect', (request, socket) => {
    const port = known[request.url ?? '']
    asked.push(`CONNECT ${request.url}${credentialOf(request.headers['proxy-authorization'])}`)
    if (port === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      onward.pipe(socket)
      socket.pipe(onward)
    })
    for (const end of [socket, onward]) {
      sockets.add(end)
      end.on('error', () => undefined)
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    asked: () => [...asked],
    stop: () =>
      new Promise(resolve => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
