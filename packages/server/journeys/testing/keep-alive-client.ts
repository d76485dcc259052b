// A strict HTTP client on one kept connection. It never sends a request twice, so a connection that breaks under a request is noticed. (`fetch`
// resends a request if a kept connection was closed before its answer.)
import { connect, type Socket } from 'node:net'

export type KeptAnswer = { readonly status: number; readonly head: string; readonly body: string }

export class KeepAliveClient {
  readonly #port: number
  #socket: Socket | null = null
  #received = ''
  #notice: () => void = () => undefined
  /** Connections that were opened. */
  connections = 0

  constructor(url: string) {
    this.#port = Number(new URL(url).port)
  }

  /** Rejects when the connection ends before the whole answer, or cannot be made. */
  async send(path: string, secret: string, body: object | null = null): Promise<KeptAnswer> {
    const socket = this.#socket ?? (await this.#open())
    const text = body === null ? '' : JSON.stringify(body)
    const lines = [
      `${body === null ? 'GET' : 'POST'} ${path} HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${secret}`,
      ...(body === null
        ? []
        : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n${text}`)
    const answer = await this.#read(socket)
    if (/^connection: close\r?$/im.test(answer.head)) this.close()
    return answer
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  #open(): Promise<Socket> {
    this.connections += 1
    this.#received = ''
    const socket = connect(this.#port, '127.0.0.1')
    this.#socket = socket
    socket.setNoDelay()
    socket.on('data', data => {
      if (this.#socket !== socket) return
      this.#received += data.toString('latin1')
      this.#notice()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      // A closed idle connection is not a fault: the next request opens another.
      if (this.#socket !== socket) return
      this.#socket = null
      this.#notice()
    })
    const opened = Promise.withResolvers<Socket>()
    socket.on('connect', () => opened.resolve(socket))
    socket.on('close', () => opened.reject(new Error('The connection was not accepted.')))
    return opened.promise
  }

  async #read(socket: Socket): Promise<KeptAnswer> {
    for (;;) {
      const answer = this.#take()
      if (answer !== null) return answer
      if (this.#socket !== socket)
        throw new Error(
          `The connection ended under a request, after ${JSON.stringify(this.#received.slice(-200))}.`,
        )
      await new Promise<void>(resolve => {
        this.#notice = resolve
      })
    }
  }

  /** Null while the answer is incomplete. */
  #take(): KeptAnswer | null {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end < 0) return null
    const head = this.#received.slice(0, end + 2)
    const rest = this.#received.slice(end + 4)
    const length = /^content-length: (\d+)/im.exec(head)?.[1]
    const size = length === undefined ? rest.indexOf('0\r\n\r\n') + 5 : Number(length)
    if (length === undefined ? !/(^|\r\n)0\r\n\r\n/.test(rest) : rest.length < size) return null
    this.#received = ''
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]), head, body: rest }
  }
}
