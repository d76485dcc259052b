// Sends one request to a door over its own connection and reads the reply as it is on the wire.
import { connect } from 'node:net'
import { type HttpMessage, readMessage } from './http-messages.ts'

export type RawRequest = {
  readonly method: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array | null
}

/** Rejects when the door closes the connection without a whole head. */
export function sendRaw(doorUrl: string, request: RawRequest): Promise<HttpMessage> {
  const { method, path, headers, body } = request
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(doorUrl).host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === null || headers.some(([name]) => name === 'Content-Length')
      ? []
      : [`Content-Length: ${body.length}`]),
  ]
  const hasBody = method !== 'HEAD'
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(doorUrl).port), '127.0.0.1')
    let received = Buffer.alloc(0)
    socket.on('connect', () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      if (body !== null) socket.write(body)
    })
    socket.on('data', data => {
      received = Buffer.concat([received, Buffer.from(data)])
      const reply = readMessage(received, { hasBody })
      if (reply === null) return
      resolve(reply)
      socket.destroy()
    })
    // A cut connection also counts as closed.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const reply = readMessage(received, { hasBody, isEnded: true })
      if (reply === null) reject(new Error(`${method} ${path}: the connection closed without a reply.`))
      else resolve(reply)
    })
  })
}
