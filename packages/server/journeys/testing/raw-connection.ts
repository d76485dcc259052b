// A client that writes arbitrary bytes to a door, and reads until the door closes.
import { connect, type Socket } from 'node:net'

export type RawConnection = {
  readonly socket: Socket
  /** Resolves once connected. */
  readonly opened: Promise<void>
  /** Everything received so far. */
  readonly received: () => string
  /** Resolves with everything received, once it contains `text` or the connection is closed. */
  readonly until: (text: string) => Promise<string>
  /** Resolves with everything received once either side has closed the connection. */
  readonly closed: Promise<string>
}

export function connectRaw(url: string): RawConnection {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<string>()
  let received = ''
  let notice = (): void => undefined
  socket.on('connect', () => opened.resolve())
  socket.on('data', data => {
    received += data.toString('latin1')
    notice()
  })
  // A reset is one way of closing.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    opened.resolve()
    closed.resolve(received)
  })
  return {
    socket,
    opened: opened.promise,
    received: () => received,
    until: text =>
      new Promise(resolve => {
        notice = () => {
          if (received.includes(text)) resolve(received)
        }
        notice()
        void closed.promise.then(resolve)
      }),
    closed: closed.promise,
  }
}

/** All status codes in the received bytes. */
export function statusesIn(received: string): number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
}

/** A valid head, except for the given lines. */
export function writeHead(
  request: { readonly method: string; readonly path: string; readonly secret: string },
  ...lines: readonly string[]
): string {
  const { method, path, secret } = request
  const usual = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${secret}`]
  return [...usual, ...lines, '', ''].join('\r\n')
}
