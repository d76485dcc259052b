// Clients that break the rules of the connection itself: each is answered or closed, others are served meanwhile, nothing stays held.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'

let fairgate: Fairgate
let key: string
let port: number
beforeAll(async () => {
  fairgate = await startFairgate({ settings: 'limits: { max_body_mebibytes: 1 }' })
  key = await fairgate.manage.team('connections', { max_budget: 1 })
  port = Number(new URL(fairgate.gatewayUrl).port)
})
afterAll(() => fairgate.stop())

const body = JSON.stringify({
  model: 'mm-2.5-flash',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'Hi' }],
})
const path = '/v1/chat/completions'
const head = (...lines: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: gateway', `Authorization: Bearer ${key}`, ...lines, '', ''].join('\r\n')
const json = 'Content-Type: application/json'

/** A neighbour who keeps to the rules is served whatever the others do. */
async function callNormally(): Promise<void> {
  const response = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
  expect(response.status).toBe(200)
  await response.text()
}

afterEach(async () => {
  await callNormally()
  const { team_info } = await fairgate.manage.teamInfo('connections')
  expect(team_info.held).toBe(0)
  const figures = await (await fetch(`${fairgate.adminUrl}/metrics`)).text()
  expect(figures).toMatch(/^fairgate_running_slots 0$/m)
})

type Conversation = { readonly socket: Socket; readonly closed: Promise<string> }

/** `closed` resolves with all that was received, once the server has closed. */
function open(): Conversation {
  const socket = connect(port, '127.0.0.1')
  const closed = new Promise<string>(resolve => {
    let received = ''
    socket.on('data', data => {
      received += data.toString()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })
  return { socket, closed }
}

/** What is received up to the end of the first reply. */
function firstReply(socket: Socket): Promise<string> {
  return new Promise(resolve => {
    let received = ''
    socket.on('data', data => {
      received += data.toString()
      const [headers = '', rest] = received.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0)
      if (rest !== undefined && Buffer.byteLength(rest) >= length) resolve(received)
    })
    socket.on('close', () => resolve(received))
  })
}

test('headers that never end are cut off, and do not keep others waiting', async () => {
  const slow = Array.from({ length: 50 }, open)
  for (const { socket } of slow) socket.write(`POST ${path} HTTP/1.1\r\nHost: gate`)
  await callNormally()
  const replies = await Promise.all(slow.map(({ closed }) => closed))
  for (const reply of replies) expect(reply).not.toContain('200 OK')
}, 60_000)

test('a body that stops in the middle is given up, and nothing was charged', async () => {
  const { spend } = (await fairgate.manage.teamInfo('connections')).team_info
  const { socket, closed } = open()
  socket.write(head(json, `Content-Length: ${body.length}`) + body.slice(0, 20))
  await callNormally()
  expect(await closed).not.toContain('200 OK')
  const after = (await fairgate.manage.teamInfo('connections')).team_info
  expect(after.spend).toBeGreaterThan(spend)
  expect(after.spend).toBeLessThan(spend + 0.0001)
}, 60_000)

test('a client that closes its half and waits still gets its answer or a close', async () => {
  const { socket, closed } = open()
  socket.end(head(json, `Content-Length: ${body.length}`, 'Connection: close') + body)
  const reply = await closed
  expect(reply === '' || reply.startsWith('HTTP/1.1 ')).toBe(true)
}, 60_000)

test('huge and countless headers are refused', async () => {
  for (const lines of [
    [`X-Huge: ${'x'.repeat(1_000_000)}`],
    Array.from({ length: 5000 }, (_, index) => `X-Many-${index}: x`),
  ]) {
    const { socket, closed } = open()
    socket.write(head(json, ...lines, 'Content-Length: 2', 'Connection: close'))
    socket.write('{}')
    expect(await closed).not.toContain('200 OK')
  }
}, 60_000)

test('broken chunks and two lengths at once are refused', async () => {
  const broken = [
    `${head(json, 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
    `${head(json, 'Content-Length: 2', 'Content-Length: 40')}{}`,
    `${head(json, 'Content-Length: -1')}{}`,
    `${head(json, 'Content-Length: 5, 6')}{}`,
  ]
  for (const text of broken) {
    const { socket, closed } = open()
    socket.write(text)
    expect(await closed).not.toContain('200 OK')
  }
}, 60_000)

test('a body over the limit that hides its length is refused with 413', async () => {
  const { socket } = open()
  const reply = firstReply(socket)
  socket.write(head(json, 'Transfer-Encoding: chunked'))
  const piece = 'x'.repeat(64 * 1024)
  for (let sent = 0; sent < 40 && !socket.destroyed; sent += 1) {
    socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`)
  }
  const text = await reply
  expect(text === '' || text.includes('413')).toBe(true)
  socket.destroy()
}, 60_000)

test('a decompression bomb is refused unopened', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20))
  const response = await fetch(`${fairgate.gatewayUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: bomb,
  })
  expect(response.status).toBe(415)
  await response.text()
})

test('pipelined requests are each answered, in order', async () => {
  const { socket, closed } = open()
  const info = (close: boolean) =>
    `GET /key/info HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${key}\r\n${close ? 'Connection: close\r\n' : ''}\r\n`
  socket.write(info(false) + info(false) + info(true))
  const replies = (await closed).split('HTTP/1.1 ').slice(1)
  expect(replies.map(reply => reply.slice(0, 3))).toEqual(['200', '200', '200'])
}, 60_000)
