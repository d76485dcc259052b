// Reads one stream over a raw connection, so that the client uses as little as possible of the machine being measured.
import { readClock, readStamp, type Stamp } from './stream-stamp.ts'

export type StreamRequest = {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type StreamResult = {
  /** From the client's request to its arrival upstream. */
  readonly wayThereMs: number
  /** From the upstream's first event to its arrival at the client. */
  readonly wayBackMs: number
  /** Events received, including the last. */
  readonly events: number
  readonly isWhole: boolean
  readonly hasLeft: boolean
}

type Reading = { text: string; tail: string; events: number; stamp: Stamp | null; firstAt: number }

/** Reads to the end of the reply, or leaves after `leaveAfter` events. Rejects when the stream is refused or cut. */
export function openStream(request: StreamRequest, leaveAfter: number | null): Promise<StreamResult> {
  const { promise, resolve, reject } = Promise.withResolvers<StreamResult>()
  const reading: Reading = { text: '', tail: '', events: 0, stamp: null, firstAt: 0 }
  const askedAt = readClock()
  const end = (socket: Bun.Socket, hasLeft: boolean) => {
    const { stamp, tail, firstAt } = reading
    if (stamp === null) reject(new Error(`The stream had no first event: ${reading.text.slice(0, 400)}`))
    else {
      const isWhole = !hasLeft && (tail.includes('[DONE]') || tail.includes('finishReason'))
      resolve({
        wayThereMs: stamp.requestedAt - askedAt,
        wayBackMs: firstAt - stamp.sentAt,
        events: reading.events,
        isWhole,
        hasLeft,
      })
    }
    socket.terminate()
  }
  const lines = Object.entries({ ...request.headers, 'content-length': String(request.body.length) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const bytes = `POST ${request.path} HTTP/1.1\r\nHost: 127.0.0.1:${request.port}\r\n${head}\r\n${request.body}`
  Bun.connect({
    hostname: '127.0.0.1',
    port: request.port,
    socket: {
      open: socket => {
        socket.write(bytes)
      },
      data: (socket, chunk) => {
        const text = chunk.toString('latin1')
        if (reading.stamp === null) {
          reading.text += text
          reading.stamp = readStamp(reading.text)
          if (reading.stamp !== null) reading.firstAt = readClock()
        }
        reading.events += text.split('data: ').length - 1
        reading.tail = (reading.tail + text).slice(-800)
        if (leaveAfter !== null && reading.events > leaveAfter) end(socket, true)
        else if (reading.tail.endsWith('\r\n0\r\n\r\n')) end(socket, false)
      },
      close: () => reject(new Error(`The stream was cut after ${reading.events} events: ${reading.tail}`)),
      error: (_, error) => reject(error),
      connectError: (_, error) => reject(error),
    },
  }).catch(reject)
  return promise
}
