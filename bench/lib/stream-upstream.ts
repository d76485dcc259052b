// Plays a streaming vendor as a separate process, as cheaply as possible: raw connections, prepared bytes, one timer for all streams.
//
// The first event of a stream carries the times when its request arrived and the event left, so that both directions can be measured separately.
// A request with `long answer` gets a stream that ends in time only if its client leaves.
// Usage: bun stream-upstream.ts <port> <events per stream> <ms between two events>. GET /counters counts running and abandoned streams.
import { readClock } from './stream-stamp.ts'

const [port, events = 40, delayMs = 25] = process.argv.slice(2).map(Number)
const longEvents = 100 * events
const counters = { started: 0, finished: 0, left: 0 }

type Connection = { received: string; requestedAt: number; events: number; sent: number; nextAt: number }

const encoder = new TextEncoder()

function buildEvent(text: string, index: number): Uint8Array {
  const isLast = index === events - 1
  const event = {
    candidates: [
      {
        content: { parts: [{ text }], role: 'model' },
        ...(isLast ? { finishReason: 'STOP' } : {}),
        index: 0,
      },
    ],
    usageMetadata: {
      promptTokenCount: 8,
      candidatesTokenCount: 4 * (index + 1),
      totalTokenCount: 8 + 4 * (index + 1),
    },
    modelVersion: 'gemini-2.5-flash',
    responseId: 'bench-stream-0000001',
  }
  const piece = `data: ${JSON.stringify(event)}\r\n\r\n`
  const end = isLast ? '0\r\n\r\n' : ''
  return encoder.encode(`${piece.length.toString(16)}\r\n${piece}\r\n${end}`)
}

const prepared = Array.from({ length: events }, (_, index) => buildEvent('four more tokens ', index))
const head =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n'
const streaming = new Set<Bun.Socket<Connection>>()

function answer(socket: Bun.Socket<Connection>): void {
  const connection = socket.data
  const end = connection.received.indexOf('\r\n\r\n')
  if (end === -1) return
  const length = Number(/content-length: (\d+)/i.exec(connection.received)?.[1] ?? 0)
  if (connection.received.length < end + 4 + length) return
  const isCounters = connection.received.startsWith('GET /counters')
  const isProbe = connection.received.startsWith('GET')
  const isLong = connection.received.includes('long answer')
  connection.received = ''
  if (isProbe) {
    const body = JSON.stringify(isCounters ? { ...counters, running: streaming.size } : {})
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    return
  }
  counters.started += 1
  Object.assign(connection, {
    requestedAt: readClock(),
    events: isLong ? longEvents : events,
    sent: 0,
    nextAt: 0,
  })
  streaming.add(socket)
  socket.write(head)
  send(socket)
}

function send(socket: Bun.Socket<Connection>): void {
  const connection = socket.data
  const now = readClock()
  const isFirst = connection.sent === 0
  const isLast = connection.sent === connection.events - 1
  // The last prepared event ends the stream.
  const index = isLast ? events - 1 : Math.min(connection.sent, events - 2)
  const bytes = isFirst ? buildEvent(`@${connection.requestedAt}/${now}@`, 0) : prepared[index]
  if (bytes !== undefined) socket.write(bytes)
  connection.sent += 1
  connection.nextAt = now + delayMs
  if (!isLast) return
  counters.finished += 1
  streaming.delete(socket)
}

setInterval(() => {
  const now = readClock()
  for (const socket of streaming) if (socket.data.nextAt <= now) send(socket)
}, 2)

Bun.listen<Connection>({
  hostname: '127.0.0.1',
  port: port ?? 0,
  socket: {
    open: socket => {
      socket.data = { received: '', requestedAt: 0, events: 0, sent: 0, nextAt: 0 }
    },
    data: (socket, bytes) => {
      socket.data.received += bytes.toString('latin1')
      answer(socket)
    },
    close: socket => {
      if (streaming.delete(socket)) counters.left += 1
    },
  },
})
