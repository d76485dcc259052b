// Starts a vendor that misbehaves on demand: a sandbox behind a raw socket that distorts its replies as `fault=<name>` asks.
import { createServer, type Socket } from 'node:net'
import { type Sandbox, startSandbox } from '../src/start-sandbox.ts'
import { findSwitches, parseSwitches, type Switches } from '../src/switches.ts'
import { createCallLog, type LoggedCall, readFigures } from './call-log.ts'
import { findFamily, streamed } from './families.ts'
import { faults } from './fault-table.ts'
import { namesIn } from './faults/videos.ts'
import { type RawRequest, readRequests } from './raw-request.ts'
import { frameChunk, lastChunk, type Script, type Step, sendWhole, writeHead } from './script.ts'

export type HostileVendorOptions = {
  /** 0 takes a free port. */
  readonly port: number
  readonly keys: readonly string[]
  readonly host?: string
  readonly wait?: (milliseconds: number) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export type HostileVendor = Omit<Sandbox, 'stop'> & {
  /** Every call so far, and the number of requests to forbidden addresses. */
  readonly log: ReturnType<typeof createCallLog>['read']
  readonly stop: () => Promise<void>
}

type Wishes = { readonly fault: string | null; readonly mark: string | null }

/** One request on a connection: where its answer goes, and whether the caller has left. */
type Turn = { readonly socket: Socket; readonly request: RawRequest; readonly signal: AbortSignal }

export async function startHostileVendor(options: HostileVendorOptions): Promise<HostileVendor> {
  const { host = '127.0.0.1', now = Date.now, wait = (ms: number) => Bun.sleep(ms) } = options
  const sandbox = startSandbox({ ...options, port: 0, host, wait, now })
  const log = createCallLog(now)
  /** An address that is not the vendor's own, so that following it is a mistake. */
  const trap = Bun.serve({
    hostname: host,
    port: 0,
    fetch: () => {
      log.trap()
      return new Response('what only this machine may read', { headers: { 'content-type': 'video/mp4' } })
    },
  })
  const front = new HostileFront({ sandbox, log, trapUrl: `http://${host}:${trap.port}`, wait, now })
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => sockets.delete(socket))
    // A caller that disconnects is not an error.
    socket.on('error', () => undefined)
    front.serve(socket).catch(() => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(options.port, host, resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port

  return Object.freeze({
    ...sandbox,
    url: `http://${host}:${port}`,
    setSwitches: (switches: Switches) => {
      sandbox.setSwitches(switches)
      front.commonSwitches = switches
    },
    log: log.read,
    stop: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all([sandbox.stop(), trap.stop(true)])
    },
  })
}

type FrontFacts = {
  readonly sandbox: Sandbox
  readonly log: ReturnType<typeof createCallLog>
  readonly trapUrl: string
  readonly wait: (milliseconds: number) => Promise<void>
  readonly now: () => number
}

/** Sits between the callers and the sandbox: relays its answers, or plays a fault instead. */
class HostileFront {
  commonSwitches: Switches = {}
  readonly #facts: FrontFacts
  /** Id of an operation or file → the fault that its order selected. */
  readonly #kept = new Map<string, string>()
  readonly #looks = new Map<string, number>()

  constructor(facts: FrontFacts) {
    this.#facts = facts
  }

  async serve(socket: Socket): Promise<void> {
    for await (const request of readRequests(socket)) {
      const leaving = new AbortController()
      const leave = () => leaving.abort()
      socket.once('close', leave)
      try {
        if (!(await this.#answer({ socket, request, signal: leaving.signal }))) return
      } finally {
        socket.off('close', leave)
      }
    }
  }

  /** False when the connection has ended. */
  async #answer(turn: Turn): Promise<boolean> {
    const { request } = turn
    const text = request.body.toString('latin1')
    const control = this.#controlReply(request, text)
    if (control !== null) return this.#run(turn, control, null)
    const family = findFamily(request.target, text)
    const names = /(?:operations|files|storage)\/([\w-]+)/.exec(request.target)?.slice(1) ?? []
    const wishes = this.#readWishes(request, text, names)
    if (family === null) return this.#relay(turn, null)
    const fault = wishes.fault === null ? undefined : faults[wishes.fault]
    const isPlayed = fault?.bites.includes(family) === true
    const model =
      /\/models\/([^/:]+)/.exec(request.target)?.[1] ?? /"model":\s*"([^"]+)"/.exec(text)?.[1] ?? ''
    const { log, trapUrl, now } = this.#facts
    const call = log.begin({ family, model, mark: wishes.mark, fault: isPlayed ? wishes.fault : null })
    try {
      if (!isPlayed || fault === undefined) return await this.#relay(turn, call, wishes.fault)
      const good = await this.#ask(turn)
      const bytes = await good.bytes()
      const type = good.headers.get('content-type') ?? ''
      // The sandbox's own refusals are correct and pass unchanged. A redirect is the normal answer to a download.
      if (good.status !== 200 && good.status !== 302) {
        call.status = good.status
        return await this.#run(turn, sendWhole(good.status, bytes, type), call)
      }
      if (family === 'order') this.#keep(bytes, wishes.fault)
      const look = (this.#looks.get(names.join()) ?? 0) + 1
      if (names.length > 0) this.#looks.set(names.join(), look)
      const script = fault.play({ family, type, bytes, cap: readCap(text), trapUrl, look })
      return await this.#run(turn, script, call)
    } finally {
      call.endedAt = now()
    }
  }

  #readWishes(request: RawRequest, text: string, names: readonly string[]): Wishes {
    // In a transcription, the expected words are the caller's only text.
    const word = (kind: string) => new RegExp(`(?:^|["\\s])${kind}-([\\w-]+)`).exec(text)?.[1] ?? null
    const given = request.headers.get('x-sandbox-switches')
    const said = { ...findSwitches(text), ...(given === null ? {} : parseSwitches(given)) }
    const remembered = names.map(name => this.#kept.get(name)).find(name => name !== undefined) ?? null
    return {
      fault: said.fault ?? word('fault') ?? remembered ?? this.commonSwitches.fault ?? null,
      mark: said.mark ?? word('mark') ?? null,
    }
  }

  #keep(bytes: Uint8Array, fault: string | null): void {
    if (fault === null) return
    const text = Buffer.from(bytes).toString()
    for (const name of text.startsWith('{') ? namesIn(JSON.parse(text)) : []) this.#kept.set(name, fault)
  }

  #controlReply({ method, target }: RawRequest, text: string): Script | null {
    const [path, query] = target.split('?')
    if (path === '/sandbox/calls') {
      const from = Number(new URLSearchParams(query).get('from') ?? 0)
      return sendWhole(200, JSON.stringify(this.#facts.log.read(from)))
    }
    if (path === '/sandbox/faults') return sendWhole(200, JSON.stringify(describeFaults()))
    // The sandbox behind handles the other switches. The fault is played here.
    if (path === '/sandbox/switches' && method === 'POST') this.commonSwitches = JSON.parse(text) as Switches
    if (path === '/sandbox/reset' && method === 'POST') this.commonSwitches = {}
    return null
  }

  #ask({ request, signal }: Turn): Promise<Response> {
    const { method, target, body } = request
    const headers = new Headers(request.headers)
    for (const name of ['connection', 'content-length', 'transfer-encoding', 'accept-encoding'])
      headers.delete(name)
    return fetch(`${this.#facts.sandbox.url}${target}`, {
      method,
      headers,
      redirect: 'manual',
      signal,
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    })
  }

  /** Relays the sandbox's answer piece by piece. */
  async #relay(turn: Turn, call: LoggedCall | null, fault: string | null = null): Promise<boolean> {
    const response = await this.#ask(turn)
    const headers = Object.fromEntries(response.headers)
    delete headers['content-length']
    delete headers['transfer-encoding']
    if (call !== null) call.status = response.status
    const isStream = call !== null && streamed.includes(call.family) && response.status === 200
    if (isStream && response.body !== null)
      return this.#run(turn, relayStream(response.status, headers, response.body, call), call)
    const bytes = await response.bytes()
    if (call !== null && response.status === 200 && bytes.length < 1 << 22) {
      Object.assign(call, readFigures(Buffer.from(bytes).toString('latin1')))
    }
    if (call?.family === 'order' || call?.family === 'poll') this.#keep(bytes, fault)
    const head = writeHead(response.status, { ...headers, 'content-length': String(bytes.length) })
    return this.#run(turn, [head, bytes], call)
  }

  /** Waits for a slow reader. False when the connection has ended. */
  async #run(
    { socket, signal }: Turn,
    steps: Iterable<Step> | AsyncIterable<Step>,
    call: LoggedCall | null,
  ): Promise<boolean> {
    for await (const step of steps) {
      if (signal.aborted || socket.destroyed) return false
      if (step === 'reset') socket.resetAndDestroy()
      else if (step === 'close') socket.end()
      else if (step === 'hold') await untilAborted(signal)
      else if (typeof step === 'object' && 'pauseMs' in step)
        await Promise.race([this.#facts.wait(step.pauseMs), untilAborted(signal)])
      else {
        const isTaken = socket.write(step)
        if (call !== null) call.lastSentAt = this.#facts.now()
        if (!isTaken) await untilDrained(socket, signal)
        continue
      }
      if (step === 'reset' || step === 'close' || step === 'hold') return false
    }
    if (call !== null) call.isWhole = !signal.aborted
    return !signal.aborted
  }
}

async function* relayStream(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: ReadableStream<Uint8Array>,
  call: LoggedCall,
): AsyncGenerator<Step> {
  let text = ''
  yield writeHead(status, { ...headers, 'transfer-encoding': 'chunked' })
  try {
    for await (const piece of body) {
      text = (text + Buffer.from(piece).toString('latin1')).slice(-(1 << 16))
      if (piece.length > 0) yield frameChunk(piece)
    }
  } catch {
    // The sandbox was set to break the stream off.
    yield 'close'
    return
  }
  yield lastChunk
  Object.assign(call, readFigures(text))
}

function describeFaults(): object {
  return Object.fromEntries(
    Object.entries(faults).map(([name, { does, bites, endless = null }]) => [name, { does, bites, endless }]),
  )
}

function readCap(text: string): number | null {
  const given = /"(?:maxOutputTokens|max_tokens|max_completion_tokens|max_output_tokens)":\s*(\d+)/.exec(
    text,
  )?.[1]
  return given === undefined ? null : Number(given)
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function untilDrained(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted || socket.destroyed) {
      resolve()
      return
    }
    const go = () => {
      socket.off('drain', go)
      signal.removeEventListener('abort', go)
      resolve()
    }
    socket.on('drain', go)
    signal.addEventListener('abort', go)
  })
}
