// A model that says what a script tells it to, in the three dialects that the agents speak. It listens on loopback only.
import type { Dialect, ServerEvent } from './dialect.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'
import { findStep, type Script } from './script.ts'

export type ModelServer = {
  readonly url: string
  /** What the agents asked (method, path and body) since the last `play`. */
  readonly requests: readonly { readonly path: string; readonly body: string }[]
  readonly play: (scripts: readonly Script[]) => void
  /** Whether an answer that never ends has begun since the last `play`, and whether the agent has then given it up. */
  readonly isStalled: () => boolean
  readonly isGivenUp: () => boolean
  /** How many steps with a call the scripts have had since the last `play`. A request that was repeated counts once. */
  readonly calls: () => number
  readonly stop: () => Promise<void>
}

export function startModelServer(): ModelServer {
  let scripts: readonly Script[] = []
  let replies = 0
  let stall = { isBegun: false, isGivenUp: false }
  const called = new Set<string>()
  const requests: { path: string; body: string }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async request => {
      const { pathname, search } = new URL(request.url)
      const text = await request.text()
      requests.push({ path: `${request.method} ${pathname}${search}`, body: text })
      const dialect = findDialect(pathname)
      if (request.headers.get('upgrade') === 'websocket') return new Response(null, { status: 426 })
      if (pathname.endsWith('/count_tokens')) return Response.json({ input_tokens: 900 })
      if (request.method !== 'POST' || dialect === null) return Response.json({ data: [], models: [] })
      const body: Record<string, unknown> = JSON.parse(text)
      replies += 1
      const id = `${Date.now().toString(36)}${replies}`
      const { step, place } = findStep(dialect.hasTools(body) ? scripts : [], dialect.readTurns(body))
      if (step.kind === 'call') called.add(place)
      const model = typeof body.model === 'string' ? body.model : readModel(pathname)
      const isStreamed = body.stream === true || pathname.includes(':streamGenerateContent')
      if (!isStreamed) return Response.json(dialect.writeBody(step, model, id))
      const events = dialect.writeEvents(step, model, id).map(writeEvent).join('')
      const headers = { 'content-type': 'text/event-stream' }
      if (step.kind !== 'stall') return new Response(events, { headers })
      const current = stall
      current.isBegun = true
      const stream = new ReadableStream({
        start: controller => controller.enqueue(events),
        cancel: () => {
          current.isGivenUp = true
        },
      })
      return new Response(stream, { headers })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    play: played => {
      scripts = played
      stall = { isBegun: false, isGivenUp: false }
      called.clear()
      requests.length = 0
    },
    isStalled: () => stall.isBegun,
    isGivenUp: () => stall.isGivenUp,
    calls: () => called.size,
    stop: () => server.stop(true),
  }
}

function findDialect(path: string): Dialect | null {
  if (path.endsWith('/messages')) return messages
  if (path.endsWith('/responses')) return responses
  return /:(?:stream)?generateContent$/i.test(path) ? generateContent : null
}

function readModel(path: string): string {
  return /\/models\/([^:/]+):/.exec(path)?.[1] ?? 'unknown'
}

function writeEvent({ event, data }: ServerEvent): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`
}
