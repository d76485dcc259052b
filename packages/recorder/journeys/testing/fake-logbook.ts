// A logbook that behaves as a test sets it, one behaviour after another: slow, refusing, nonsensical or correct.
import { createHash } from 'node:crypto'

type Entry = Record<string, unknown>

/** null: behaves as a logbook should. */
export type Behaviour = (request: Request, entries: readonly Entry[]) => Response | Promise<Response> | null

export type FakeLogbook = {
  readonly url: string
  readonly behave: (behaviour: Behaviour) => void
  /** The stored entries, each once. */
  readonly entries: () => Entry[]
  /** Requests to POST /api/ingest so far. */
  readonly requests: () => number
  /** The entries of all requests, including repeats. */
  readonly received: () => number
  /** Resolves when the condition holds after a request. */
  readonly until: (condition: () => boolean) => Promise<void>
  readonly stop: () => Promise<void>
}

/** `token`: readers need it. Without, any token will do. */
export function startFakeLogbook(token?: string): FakeLogbook {
  const stored = new Map<string, Entry>()
  let behaviour: Behaviour = () => null
  let requests = 0
  let received = 0
  let notice = (): void => undefined
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async request => {
      if (request.method === 'GET') return answerReader(request)
      const { entries }: { entries: Entry[] } = JSON.parse((await request.text()) || '{"entries":[]}')
      requests += 1
      received += entries.length
      const reply = await (behaviour(request, entries) ?? store(entries))
      notice()
      return reply
    },
  })
  const answerReader = ({ url, headers }: Request) => {
    if (new URL(url).pathname === '/health/live') return Response.json({ status: 'ok', door: 'logbook' })
    if (token !== undefined && headers.get('authorization') !== `Bearer ${token}`)
      return Response.json({ error: { message: 'no', code: 'unauthorized' } }, { status: 401 })
    return Response.json({ items: [], next_before: null })
  }
  const store = (entries: readonly Entry[]) => {
    const before = stored.size
    for (const entry of entries) {
      const text = JSON.stringify(Object.entries(entry).sort())
      stored.set(createHash('sha256').update(text).digest('hex'), entry)
    }
    const fresh = stored.size - before
    const body = { received: entries.length, stored: fresh, duplicates: entries.length - fresh, rejected: [] }
    return Response.json(body, { status: 202 })
  }
  return {
    url: `http://127.0.0.1:${server.port}`,
    behave: next => {
      behaviour = next
    },
    entries: () => [...stored.values()],
    requests: () => requests,
    received: () => received,
    until: condition =>
      new Promise(resolve => {
        notice = () => {
          if (condition()) resolve()
        }
        notice()
      }),
    stop: () => server.stop(true),
  }
}
