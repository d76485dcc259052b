// An export as a stream: read no faster than its reader, stopped when the reader leaves, and broken off, not ended, when it fails.
import { afterEach, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { createDoor } from '../../http/create-door.ts'
import { createLogAccess } from '../../http/log-access.ts'
import { openTestBodies, plainDoor } from '../../http/testing/open-test-door.ts'
import { createStreamTimers } from '../../http/testing/stream-timers.ts'
import type { EntriesReading, LogbookEntry } from '../../logbook/list-entries/create-entries-reader.ts'
import { exportEntriesRoutes } from './export-entries.ts'

const entry: LogbookEntry = {
  teamId: 'red',
  seq: 1,
  id: '',
  ts: '',
  receivedAt: '',
  tokenId: '',
  clientAddress: null,
  isLate: false,
  chain: '',
  body: JSON.stringify({ prompt: 'x'.repeat(2000) }),
}
const step = Array.from({ length: 200 }, () => entry)
const stepBytes = 200 * 2100

let server: Bun.Server<undefined> | undefined
afterEach(() => server?.stop(true))

function openExport(readFeed: EntriesReading['readFeed']) {
  const lines: object[] = []
  const note = (fields: object) => void lines.push(fields)
  const door = createDoor({
    ...plainDoor,
    name: 'admin',
    title: 'Test door',
    description: 'A door for tests',
    publicUrl: 'https://admin.example',
    securityScheme: { type: 'http', scheme: 'bearer' },
    bodies: openTestBodies(),
    routes: exportEntriesRoutes({
      directory: { findTeam: () => undefined },
      entries: { readFeed },
      listBoards: async () => [{ teamId: 'red', headSeq: 1_000_000 }],
    }),
    authenticate: () => ({
      actor: 'admin',
      role: 'organiser' as const,
      judgeId: null,
      isBlind: false,
      credential: 'test',
      session: null,
    }),
    log: { info: note, warn: note, error: note },
    logAccess: createLogAccess({ info: note }),
    newCallId: () => 'call-1',
    streamTimers: createStreamTimers().timers,
  })
  return { door, lines }
}

function serveExport(readFeed: EntriesReading['readFeed']): {
  readonly port: number
  readonly lines: object[]
} {
  const { door, lines } = openExport(readFeed)
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: door.fetch })
  return { port: server.port ?? 0, lines }
}

function ask(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /logs/export.ndjson HTTP/1.1\r\nhost: door\r\n\r\n')
  return socket
}

/** Resolves when a whole second passes without another step. */
async function settle(count: () => number): Promise<number> {
  for (let before = -1; ; ) {
    if (before === count()) return before
    before = count()
    await Bun.sleep(300)
  }
}

test('a slow reader is waited for, and a reader that leaves frees everything', async () => {
  let steps = 0
  const freed = Promise.withResolvers<void>()
  const { port, lines } = serveExport(async function* () {
    try {
      for (;;) {
        steps += 1
        yield step
      }
    } finally {
      freed.resolve()
    }
  })
  const socket = ask(port)
  socket.pause()
  const first = await settle(() => steps)
  // Only what the two ends of the connection buffer: without waiting it would be gigabytes.
  expect(first * stepBytes).toBeLessThan(32 * 1024 * 1024)
  socket.resume()
  while (steps < first + 50) await Bun.sleep(5)
  socket.destroy()
  await freed.promise
  while (!lines.some(fields => 'items' in fields)) await Bun.sleep(5)
  const last = steps
  expect(lines).toMatchObject([{ format: 'ndjson', team_id: null, items: expect.any(Number) }])
  await Bun.sleep(50)
  expect(steps).toBe(last)
})

// Bun breaks the connection off for a failed body; for one that ended it would send the last chunk of a complete reply.
test('a failure after the first step breaks the body: half an export never looks complete', async () => {
  const { door, lines } = openExport(async function* () {
    yield [entry]
    throw new Error('The store is gone.')
  })
  const asked = new Request('http://door.test/logs/export.ndjson')
  const reply = await door.fetch(asked, { timeout: () => undefined, requestIP: () => null })
  const failure = await reply.text().catch((error: Error) => error)
  expect(failure).toHaveProperty('message', 'The store is gone.')
  expect(lines).toMatchObject([{ error: 'export_broken', items: 1 }])
})

test('a failure of the first step is an error reply', async () => {
  // biome-ignore lint/correctness/useYield: it fails before its first step.
  const { port } = serveExport(async function* () {
    throw new Error('The store is gone.')
  })
  const reply = await fetch(`http://127.0.0.1:${port}/logs/export.csv`)
  expect(reply.status).toBe(500)
  expect(await reply.json()).toMatchObject({ error: { code: 'internal' } })
})

test('HEAD reads no more than the first step', async () => {
  let steps = 0
  const { port } = serveExport(async function* () {
    for (;;) {
      steps += 1
      yield step
    }
  })
  const reply = await fetch(`http://127.0.0.1:${port}/logs/export.ndjson`, { method: 'HEAD' })
  expect(reply.status).toBe(200)
  expect(await settle(() => steps)).toBe(1)
})
