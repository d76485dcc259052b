// Sends one request to the judges' name at the proxy, its path exactly as given: `fetch` would resolve dots and backslashes itself.
import { connect } from 'node:tls'
import { judgingUrl } from './start-proxy.ts'

export type RawReply = {
  readonly status: number
  readonly head: string
  /** The proxy's own replies have no call id. */
  readonly isOfFairgate: boolean
}

export async function sendRaw(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Promise<RawReply> {
  const { hostname } = new URL(judgingUrl)
  const socket = connect({
    host: hostname,
    port: 443,
    servername: hostname,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
  const lines = Object.entries({
    host: hostname,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  let text = ''
  for await (const piece of socket) text += String(piece)
  const head = text.split('\r\n\r\n')[0] ?? ''
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]),
    head,
    isOfFairgate: /^x-gateway-call-id:/im.test(head),
  }
}
