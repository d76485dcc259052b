// suite: 28 s
// Clients that break the rules of HTTP connections: each is answered or closed, others are served meanwhile, nothing stays held.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { type DoorName, doorNames } from './testing/door-routes.ts'
import { readHostileSeed } from './testing/hostile-seed.ts'
import { sampleEntry } from './testing/logbook-client.ts'
import { connectRaw, statusesIn, writeHead } from './testing/raw-connection.ts'
import { adminKey, type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges, sumCost } from './testing/stored-rows.ts'

const seed = readHostileSeed()

let fairgate: Fairgate
let key: string
let port: number
beforeAll(async () => {
  fairgate = await startFairgate({ settings: 'limits: { max_body_mebibytes: 1 }' })
  // So much that no request, whatever its cap, holds the budget of the others.
  key = await fairgate.manage.team('connections', { max_budget: 1000 })
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
  [`POST ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`, ...lines, '', ''].join('\r\n')
const json = 'Content-Type: application/json'

/** A well-behaved caller is served whatever the others do. */
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
  await nothingHeld()
})

type Conversation = { readonly socket: Socket; readonly closed: Promise<string> }

/** `closed` resolves with everything received once the server has closed. */
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

/** The bytes received up to the end of the first reply. */
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

type Work = {
  readonly door: DoorName
  readonly url: string
  readonly method: string
  readonly path: string
  readonly secret: string
  readonly body: string
  readonly success: number
}
let works: Work[]
beforeAll(async () => {
  const { token } = await fairgate.manage.token('connections')
  const post = { method: 'POST' }
  works = [
    { ...post, door: 'gateway', url: fairgate.gatewayUrl, path, secret: key, body, success: 200 },
    {
      ...post,
      door: 'logbook',
      url: fairgate.logbookUrl,
      path: '/api/ingest',
      secret: token,
      body: JSON.stringify({ entries: [sampleEntry] }),
      success: 202,
    },
    {
      ...post,
      door: 'admin',
      url: fairgate.adminUrl,
      path: '/team/update',
      secret: adminKey,
      body: JSON.stringify({ team_id: 'connections', team_alias: 'changed' }),
      success: 200,
    },
  ]
  expect(works.map(({ door }) => door)).toEqual([...doorNames])
})

async function post({ url, path, secret }: Work, content: string | Uint8Array<ArrayBuffer>, headers = {}) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: content,
  })
  return { status: response.status, text: await response.text() }
}

/** Runs the attack on each door while well-behaved clients of all doors are served. */
async function attack(run: (work: Work) => Promise<void>): Promise<void> {
  const serve = async () => {
    const statuses = await Promise.all(works.map(async work => (await post(work, work.body)).status))
    expect(statuses).toEqual(works.map(({ success }) => success))
  }
  await Promise.all([...works.map(run), serve()])
  await serve()
}

/** Resolves once no call is running; a call that is never released makes the test time out. */
async function nothingHeld(): Promise<void> {
  for (;;) {
    const figures = await (await fetch(`${fairgate.adminUrl}/metrics`)).text()
    const isFree = /^fairgate_holds 0$/m.test(figures) && /^fairgate_running_slots 0$/m.test(figures)
    if (isFree && fairgate.sandbox.counters().running === 0) return
    await Bun.sleep(5)
  }
}

// These wait for the same 10 s timeout of the server, so they run at the same time.
test.concurrent('endless headers are cut off and do not delay others', async () => {
  const slow = Array.from({ length: 50 }, open)
  for (const { socket } of slow) socket.write(`POST ${path} HTTP/1.1\r\nHost: gate`)
  await callNormally()
  const replies = await Promise.all(slow.map(({ closed }) => closed))
  for (const reply of replies) expect(reply).not.toContain('200 OK')
}, 300_000)

test.concurrent('connections that send nothing are closed at every door', async () => {
  const silent = works.flatMap(({ url }) => Array.from({ length: 20 }, () => connectRaw(url)))
  await Promise.all(silent.map(({ opened }) => opened))
  await callNormally()
  expect(new Set(await Promise.all(silent.map(({ closed }) => closed)))).toEqual(new Set(['']))
}, 300_000)

test.concurrent('a body that stops in the middle is dropped, and nothing is charged', async () => {
  const own = await fairgate.manage.team('stalled', { max_budget: 1 })
  const { socket, closed } = open()
  socket.write(head(json, `Content-Length: ${body.length}`).replace(key, own) + body.slice(0, 20))
  await callNormally()
  expect(await closed).not.toContain('200 OK')
  const { team_info } = await fairgate.manage.teamInfo('stalled')
  expect([team_info.spend, team_info.held]).toEqual([0, 0])
}, 300_000)

test.concurrent('headers and bodies that stall are cut off', async () => {
  await attack(async work => {
    const beginnings = [
      'P',
      `${work.method} ${work.path} HTTP/1.1\r\n`,
      writeHead(work, json).slice(0, -2),
      writeHead(work, json, `Content-Length: ${work.body.length}`),
      writeHead(work, json, 'Content-Length: 999999') + work.body,
      writeHead(work, json, 'Transfer-Encoding: chunked'),
      `${writeHead(work, json, 'Transfer-Encoding: chunked')}ff\r\n{`,
    ]
    const replies = await Promise.all(
      beginnings.map(beginning => {
        const { socket, closed } = connectRaw(work.url)
        socket.write(beginning)
        return closed
      }),
    )
    for (const reply of replies) {
      for (const status of statusesIn(reply)) expect(status).toBeGreaterThanOrEqual(400)
    }
  })
}, 300_000)

test.concurrent('headers and bodies that arrive byte by byte are cut off', async () => {
  await attack(async work => {
    const beginnings = [
      `${writeHead(work, json).slice(0, -2)}X-Slow: `,
      `${writeHead(work, json, 'Content-Length: 500')}{"`,
    ]
    const conversations = beginnings.map(beginning => {
      const { socket, closed } = connectRaw(work.url)
      socket.write(beginning)
      const drip = setInterval(() => socket.write('x'), 1000)
      return closed.finally(() => clearInterval(drip))
    })
    for (const reply of await Promise.all(conversations)) expect(reply).not.toContain('HTTP/1.1 2')
  })
}, 300_000)

test('a client that closes its half and waits gets its answer or a close', async () => {
  const { socket, closed } = open()
  socket.end(head(json, `Content-Length: ${body.length}`, 'Connection: close') + body)
  const reply = await closed
  expect(reply === '' || reply.startsWith('HTTP/1.1 ')).toBe(true)
}, 300_000)

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
}, 300_000)

test('broken chunks and conflicting lengths are refused', async () => {
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
}, 300_000)

test('a body over the limit without a length is refused with 413', async () => {
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
}, 300_000)

test('a decompression bomb is refused without inflating it', async () => {
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
    `GET /key/info HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${close ? 'Connection: close\r\n' : ''}\r\n`
  socket.write(info(false) + info(false) + info(true))
  const replies = (await closed).split('HTTP/1.1 ').slice(1)
  expect(replies.map(reply => reply.slice(0, 3))).toEqual(['200', '200', '200'])
}, 300_000)

test('anything other than HTTP/1.1 is refused or closed', async () => {
  await attack(async work => {
    const chunked = writeHead(work, json, 'Transfer-Encoding: chunked')
    const length = `Content-Length: ${work.body.length}`
    const messages = [
      '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\u0000'.repeat(1000),
      '\r\n'.repeat(1000),
      `${work.method} ${work.path}\r\n\r\n`,
      `${work.method} ${work.path} HTTP/9.9\r\nHost: localhost\r\n\r\n`,
      `CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere\r\n\r\n`,
      `${work.method} ${'/x'.repeat(500_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      writeHead(work, json, 'X Space: x', length) + work.body,
      writeHead(work, json, ': no name', length) + work.body,
      writeHead(work, json, 'X-Nul: a\u0000b', length) + work.body,
      writeHead(work, json, `Content-Length: ${'9'.repeat(40)}`) + work.body,
      writeHead(work, json, 'Content-Length: 0x10') + work.body,
      writeHead(work, json, 'Transfer-Encoding: gzip') + work.body,
      `${chunked}ffffffffffffffff\r\n${work.body}\r\n0\r\n\r\n`,
      `${chunked}-1\r\n${work.body}\r\n0\r\n\r\n`,
      `${chunked}1;${'x'.repeat(500_000)}\r\n{\r\n0\r\n\r\n`,
      `${chunked}2\r\n{}xx0\r\n\r\n`,
    ]
    const replies = await Promise.all(
      messages.map(message => {
        const { socket, closed } = connectRaw(work.url)
        socket.end(Buffer.from(message, 'latin1'))
        return closed
      }),
    )
    const accepted = messages.filter((_, index) =>
      statusesIn(replies[index] ?? '').some(status => status < 400),
    )
    expect(accepted).toEqual([])
  })
}, 300_000)

test('a length together with chunks does not smuggle in a second request', async () => {
  await attack(async work => {
    const hidden = `GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n`
    const messages = [
      `${writeHead(work, json, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${hidden}`,
      `${writeHead(work, json, 'Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n${hidden}`,
      `${writeHead(work, json, 'Content-Length: 0', 'Content-Length: 50')}${hidden}`,
      `${writeHead(work, json, 'Transfer-Encoding: xchunked', 'Content-Length: 2')}{}${hidden}`,
      `${writeHead(work, json, 'Transfer-Encoding : chunked', 'Content-Length: 2')}{}${hidden}`,
    ]
    for (const message of messages) {
      const { socket, closed } = connectRaw(work.url)
      socket.end(message)
      expect([message, statusesIn(await closed).length < 2]).toEqual([message, true])
    }
  })
}, 300_000)

const chunked = 'Transfer-Encoding: chunked'
const asChunk = (content: string) => `${content.length.toString(16)}\r\n${content}\r\n`

/** Sends the bytes in one piece and resolves with what comes back until the door closes. */
function exchange(url: string, message: string): Promise<string> {
  const { socket, closed } = connectRaw(url)
  socket.write(Buffer.from(message, 'latin1'))
  return closed
}

// Shown to fail on the build before: the call was made and charged, and its client got 400.
test('a chunked request with trailers is refused before it is carried out', async () => {
  const own = await fairgate.manage.team('trailers', { max_budget: 10 })
  const { token } = await fairgate.manage.token('trailers')
  const secrets = { gateway: own, logbook: token, admin: adminKey }
  const vendor = {
    door: 'gateway',
    path: '/vendor/v1beta/models/mm-2.5-flash:generateContent',
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
  } as const
  const renaming = JSON.stringify({ team_id: 'trailers', team_alias: 'renamed' })
  const targets = [...works, { ...(works[0] as Work), ...vendor }].map(work => ({
    ...work,
    secret: secrets[work.door],
    body: work.door === 'admin' ? renaming : work.body,
  }))
  const endings = [
    '0\r\nX-Trailer: 1\r\n\r\n',
    '0\r\nContent-Length: 5\r\nAuthorization: Bearer other\r\n\r\n',
    '0\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n',
    '0\r\nX-Trailer: 1\r\n\r\nGET /key/info HTTP/1.1\r\nHost: localhost\r\n\r\n',
    '0\r\nxx',
  ]
  for (const work of targets) {
    const credential = `x-vendor-api-key: ${work.secret}`
    const plain = `${writeHead(work, credential, json, chunked)}${asChunk(work.body)}`
    const announced = `${writeHead(work, credential, json, chunked, 'Trailer: X-Trailer')}${asChunk(work.body)}`
    const replies = await Promise.all([
      ...endings.map(ending => exchange(work.url, plain + ending)),
      exchange(work.url, `${announced}0\r\nX-Trailer: 1\r\n\r\n`),
    ])
    for (const reply of replies) expect([work.path, ...new Set(statusesIn(reply))]).toEqual([work.path, 400])
  }
  await nothingHeld()
  expect(await readCharges(fairgate.place, 'trailers')).toHaveLength(0)
  const { team_info } = await fairgate.manage.teamInfo('trailers')
  expect([team_info.spend, team_info.team_alias === 'renamed']).toEqual([0, false])
  expect(await fairgate.manage.verifyLog('trailers')).toMatchObject({ ok: true, entries: 0 })
}, 300_000)

test('announced trailers are refused with the reason, whether they come or not', async () => {
  for (const work of works) {
    const { socket, until } = connectRaw(work.url)
    socket.write(`${writeHead(work, json, chunked, 'Trailer: X-Trailer')}${asChunk(work.body)}0\r\n\r\n`)
    expect(await until('Trailers are not supported')).toContain('HTTP/1.1 400')
    socket.destroy()
  }
}, 300_000)

test('ambiguous chunks, lengths and targets are refused; unambiguous ones are served', async () => {
  await attack(async work => {
    const head = (...lines: string[]) => writeHead(work, json, ...lines)
    const size = work.body.length.toString(16)
    const coded = head(chunked)
    const end = '\r\n0\r\n\r\n'
    const refused = [
      ...['0x', '+', ' '].map(sign => `${coded}${sign}${size}\r\n${work.body}${end}`),
      ...[' ', '\t'].map(blank => `${coded}${size}${blank}\r\n${work.body}${end}`),
      `${coded}${size}\n${work.body}${end}`,
      `${coded}${size}\r\n${work.body}\n0\r\n\r\n`,
      `${coded}${size}\n${work.body}\n0\n\n`,
      `${coded}\r\n${work.body}${end}`,
      `${coded}${size};a="b\r\nc"\r\n${work.body}${end}`,
      `${head('Transfer-Encoding: gzip, chunked')}${asChunk(work.body)}0\r\n\r\n`,
      `${head('Transfer-Encoding: chunked, gzip')}${asChunk(work.body)}0\r\n\r\n`,
      `${head(chunked, chunked)}${asChunk(work.body)}0\r\n\r\n`,
      `${head('Transfer-Encoding: identity')}${asChunk(work.body)}0\r\n\r\n`,
      `${head('Transfer-Encoding: \x0bchunked')}${asChunk(work.body)}0\r\n\r\n`,
      `${head('Transfer-Encoding:\r\n chunked')}${asChunk(work.body)}0\r\n\r\n`,
      `${head('X-Folded: a\r\n b', `Content-Length: ${work.body.length}`)}${work.body}`,
      `${head(`Content-Length: +${work.body.length}`)}${work.body}`,
      `${head(`Content-Length: ${work.body.length}, ${work.body.length}`)}${work.body}`,
      `${coded.replace('HTTP/1.1', 'HTTP/1.0')}${asChunk(work.body)}0\r\n\r\n`,
      head(`Content-Length: ${work.body.length}`).replace(work.path, `ftp://door${work.path}`) + work.body,
      'GET * HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET health/live HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'GET /health/live HTTP/1.1\r\n\r\n',
    ]
    const length = `Content-Length: ${work.body.length}`
    const close = 'Connection: close'
    const served = [
      `${head(chunked, close)}${size};a=b\r\n${work.body}\r\n0;c=d\r\n\r\n`,
      `${head(chunked, close)}${'0'.repeat(8)}${size}\r\n${work.body}${end}`,
      `${head('Transfer-Encoding: CHUNKED', close)}${asChunk(work.body)}0\r\n\r\n`,
      `${head('Expect: 100-continue', length, close)}${work.body}`,
      `${head(length).replace('HTTP/1.1', 'HTTP/1.0')}${work.body}`,
      head(length, close).replace(work.path, `http://door${work.path}`) + work.body,
      `${head(length, 'Connection: x, Close')}${work.body}`,
    ]
    const statusesOf = (messages: readonly string[]) =>
      Promise.all(messages.map(async message => statusesIn(await exchange(work.url, message)).at(-1)))
    expect(await statusesOf(refused)).toEqual(refused.map(() => 400))
    expect(await statusesOf(served)).toEqual(served.map(() => work.success))
  })
}, 300_000)

// Shown to fail on the build before: a method that HTTP does not know lost its connection without an answer.
test('every method gets an answer on known and unknown paths, in the format of the path', async () => {
  const methods = 'PROPFIND TRACE CONNECT PUT PATCH M-SEARCH FOO get X'.split(' ').concat('LONG'.repeat(50))
  const ask = (url: string, method: string, target: string) =>
    exchange(url, `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  await attack(async work => {
    for (const method of methods) {
      const [known, open, unknown] = await Promise.all(
        [work.path, '/health/live', '/nothing'].map(target => ask(work.url, method, target)),
      )
      expect([method, ...[known, open, unknown].flatMap(reply => statusesIn(reply ?? ''))]).toEqual([
        method,
        405,
        405,
        404,
      ])
      expect(known).toMatch(/\r\nallow: POST, OPTIONS\r\n/i)
      expect(open).toMatch(/\r\nallow: GET, HEAD, OPTIONS\r\n/i)
      expect(known).toContain('"method_not_allowed"')
    }
    // Bun reads this one as intended.
    expect(statusesIn(await ask(work.url, 'Post', '/health/live'))).toEqual([405])
    // Unambiguous requests still work: a real GET, with an empty segment too, and HEAD.
    expect(statusesIn(await ask(work.url, 'GET', '/health/live'))).toEqual([200])
    expect(statusesIn(await ask(work.url, 'HEAD', '/health/live'))).toEqual([200])
    expect(statusesIn(await ask(work.url, 'GET', '//health'))).toEqual([404])
    expect(statusesIn(await ask(work.url, 'G%T', '/health/live'))).toEqual([400])
  })
  const below = await ask(fairgate.gatewayUrl, 'FOO', '/vendor/v1beta/models/mm-2.5-flash:generateContent')
  expect(statusesIn(below)).toEqual([405])
  expect(JSON.parse(below.slice(below.indexOf('\r\n\r\n')))).toMatchObject({ error: { code: 405 } })
}, 300_000)

test('JSON nested a million levels deep is refused, or rejected as an entry', async () => {
  const depth = 1_000_000
  await attack(async work => {
    const unclosed = await post(work, '['.repeat(depth))
    expect(unclosed.status).toBe(400)
    expect(unclosed.text).toContain('invalid_json')
    const closed = await post(work, `{"entries":[${'['.repeat(depth)}${']'.repeat(depth)}]}`)
    const objects = await post(work, `{"entries":[${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}]}`)
    for (const { status, text } of [closed, objects]) {
      const isRejected = status === 202 && text.includes('"stored":0')
      expect([work.door, status, isRejected || status === 400 || status === 413]).toEqual([
        work.door,
        status,
        true,
      ])
    }
  })
}, 300_000)

test('a decompression bomb is refused without inflating it, with and without its length', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000, 0x20))
  await attack(async work => {
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'x-unknown']) {
      const { status } = await post(work, bomb, { 'content-encoding': encoding })
      expect([work.door, encoding, status]).toEqual([work.door, encoding, 415])
    }
    const { socket, until } = connectRaw(work.url)
    socket.write(writeHead(work, json, 'Content-Encoding: gzip', 'Transfer-Encoding: chunked'))
    socket.write(`${bomb.length.toString(16)}\r\n`)
    socket.write(bomb)
    socket.write('\r\n0\r\n\r\n')
    expect(statusesIn(await until('HTTP/1.1'))).toEqual([415])
    socket.destroy()
  })
}, 300_000)

test('a body over the limit without a length is refused long before all of it has arrived', async () => {
  const piece = 'x'.repeat(1024 * 1024)
  await attack(async work => {
    const { socket, until, received } = connectRaw(work.url)
    const refused = until('HTTP/1.1')
    let moved = Promise.withResolvers<void>()
    socket.on('drain', () => moved.resolve())
    socket.write(writeHead(work, json, 'Transfer-Encoding: chunked'))
    for (let sent = 0; sent < 64 && received() === '' && !socket.destroyed; sent += 1) {
      const isTaken = socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`)
      if (!isTaken) await Promise.race([moved.promise, refused])
      moved = Promise.withResolvers<void>()
    }
    expect(statusesIn(await refused)).toEqual([413])
    socket.destroy()
  })
}, 300_000)

const pipeline = ({ url, body: content, ...work }: Work, count: number) => {
  const lengths = `Content-Length: ${content.length}`
  const whole = writeHead(work, json, lengths) + content
  const last = writeHead(work, json, 'Connection: close', lengths) + content
  const { socket, closed } = connectRaw(url)
  socket.write(whole.repeat(count - 1) + last)
  return closed
}

test('pipelined calls are answered in order or closed, and charged at most once each', async () => {
  const countCharges = async () => (await readCharges(fairgate.place, 'connections')).length
  await attack(async work => {
    const statuses = statusesIn(await pipeline(work, 20))
    expect(statuses.filter(status => status !== work.success)).toEqual([])
  })
  await nothingHeld()
  const before = await countCharges()
  const [gateway] = works
  if (gateway !== undefined) await pipeline(gateway, 20)
  await nothingHeld()
  expect((await countCharges()) - before).toBeLessThanOrEqual(20)
}, 300_000)

// Fails: Bun.serve closes a connection on which a request arrives while another still waits for its answer.
// No request is answered then, although the first call has run and is charged. Replies without any wait do arrive.
test.failing('slow pipelined calls are each answered', async () => {
  for (const work of works) {
    const expected = Array.from({ length: 3 }, () => work.success)
    expect(statusesIn(await pipeline(work, 3))).toEqual(expected)
  }
}, 300_000)

test('connections reset at any point leave nothing behind', async () => {
  await attack(async work => {
    const whole = writeHead(work, json, `Content-Length: ${work.body.length}`) + work.body
    const resets = Array.from({ length: 60 }, async (_, index) => {
      const { socket, opened, closed } = connectRaw(work.url)
      await opened
      const written = Promise.withResolvers<void>()
      socket.write(whole.slice(0, Math.ceil((whole.length * index) / 59)), () => written.resolve())
      await written.promise
      socket.resetAndDestroy()
      await closed
    })
    await Promise.all(resets)
  })
  await nothingHeld()
}, 300_000)

test('a stream whose client never reads delays no other, and ends with its client', async () => {
  const own = await fairgate.manage.team('deaf', { max_budget: 10 })
  const long = '[[sandbox: chunks=2000; outputTokens=200000; chunkDelayMs=1]]'
  const content = JSON.stringify({
    model: 'mm-2.5-flash',
    stream: true,
    messages: [{ role: 'user', content: long }],
  })
  const deaf = Array.from({ length: 5 }, () => {
    const { socket, until } = connectRaw(fairgate.gatewayUrl)
    const lengths = `Content-Length: ${content.length}`
    socket.write(writeHead({ method: 'POST', path, secret: own }, json, lengths) + content)
    return { socket, begun: until('data: ') }
  })
  await Promise.all(deaf.map(({ begun }) => begun))
  for (const { socket } of deaf) socket.pause()
  await attack(async () => undefined)
  for (const { socket } of deaf) socket.resetAndDestroy()
  await nothingHeld()
  const { team_info } = await fairgate.manage.teamInfo('deaf')
  expect(Math.round(team_info.spend * 1e9)).toBe(sumCost(await readCharges(fairgate.place, 'deaf')))
}, 300_000)

test('requests with random bytes changed are answered or closed, and the books agree', async () => {
  console.log(`hostile connections: HOSTILE_SEED=${seed}`)
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat({ max: 6 }),
    put: fc.oneof(
      fc.constantFrom('\r\n', '\n', '\r', ':', ' ', '\u0000', '\u00ff', 'HTTP/1.1', '0\r\n\r\n', '-', '9'),
      fc.constantFrom('Content-Length: 1\r\n', 'Transfer-Encoding: chunked\r\n', 'Expect: 100-continue\r\n'),
      fc.string({ unit: 'binary-ascii', maxLength: 5 }),
    ),
  })
  const changes = fc.sample(fc.array(change, { minLength: 1, maxLength: 4 }), { seed, numRuns: 300 })
  await attack(async work => {
    const whole = writeHead(work, json, `Content-Length: ${work.body.length}`) + work.body
    const conversations = changes.map(list => {
      const message = list.reduce((text, { at, cut, put }) => {
        const place = Math.floor(at * text.length)
        return text.slice(0, place) + put + text.slice(place + cut)
      }, whole)
      const { socket, closed } = connectRaw(work.url)
      socket.end(Buffer.from(message, 'latin1'))
      return closed
    })
    for (const received of await Promise.all(conversations)) {
      // 505 is right for another version of HTTP.
      expect(statusesIn(received).filter(status => status >= 500 && status !== 505)).toEqual([])
    }
  })
  await nothingHeld()
  const { team_info } = await fairgate.manage.teamInfo('connections')
  expect(Math.round(team_info.spend * 1e9)).toBe(sumCost(await readCharges(fairgate.place, 'connections')))
  expect(await fairgate.manage.verifyLog('connections')).toMatchObject({ ok: true })
}, 300_000)
