// A vendor that misbehaves on demand: a sandbox behind a bare socket, which distorts its replies as `fault=<name>` asks.
import { createServer, type Socket } from 'node:net'
import { type Sandbox, startSandbox } from '../start-sandbox.ts'
import { findSwitches, parseSwitches, type Switches } from '../switches.ts'
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
  /** Every call so far, and how often somebody followed a forbidden address. */
  readonly log: ReturnType<typeof createCallLog>['read']
  readonly stop: () => Promise<void>
}

type Wishes = { readonly fault: string | null; readonly mark: string | null }

export async function startHostileVendor(options: HostileVendorOptions): Promise<HostileVendor> {
  const { host = '127.0.0.1', now = Date.now, wait = (ms: number) => Bun.sleep(ms) } = options
  const sandbox = startSandbox({ ...options, port: 0, host, wait, now })
  const log = createCallLog(now)
  const sockets = new Set<Socket>()
  let common: Switches = {}
  /** Id of an operation or file → the fault that its order asked for. */
  const kept = new Map<string, string>()
  const looks = new Map<string, number>()
  /** An address that is not the vendor's own, so that going there is a mistake. */
  const trap = Bun.serve({
    hostname: host,
    port: 0,
    fetch: () => {
      log.trap()
      return new Response('what only this machine may read', { headers: { 'content-type': 'video/mp4' } })
    },
  })
  const trapUrl = `http://${host}:${trap.port}`

  const serve = async (socket: Socket): Promise<void> => {
    for await (const request of readRequests(socket)) {
      const leaving = new AbortController()
      const leave = () => leaving.abort()
      socket.once('close', leave)
      try {
        if (!(await answer(socket, request, leaving.signal))) return
      } finally {
        socket.off('close', leave)
      }
    }
  }

  /** False when the connection has ended. */
  const answer = async (socket: Socket, request: RawRequest, signal: AbortSignal): Promise<boolean> => {
    const text = request.body.toString('latin1')
    const control = controlReply(request, text)
    if (control !== null) return run(socket, control, null, signal)
    const family = findFamily(request.target, text)
    const names = /(?:operations|files|storage)\/([\w-]+)/.exec(request.target)?.slice(1) ?? []
    const wishes = readWishes(request, text, names)
    if (family === null) return relay(socket, request, null, signal)
    const fault = wishes.fault === null ? undefined : faults[wishes.fault]
    const isPlayed = fault?.bites.includes(family) === true
    const model =
      /\/models\/([^/:]+)/.exec(request.target)?.[1] ?? /"model":\s*"([^"]+)"/.exec(text)?.[1] ?? ''
    const call = log.begin({ family, model, mark: wishes.mark, fault: isPlayed ? wishes.fault : null })
    try {
      if (!isPlayed || fault === undefined) return await relay(socket, request, call, signal, wishes.fault)
      const good = await ask(request, signal)
      const bytes = await good.bytes()
      const type = good.headers.get('content-type') ?? ''
      // The sandbox's own refusals are correct and pass unchanged. A redirect is the normal answer to a download.
      if (good.status !== 200 && good.status !== 302) {
        call.status = good.status
        return await run(socket, sendWhole(good.status, bytes, type), call, signal)
      }
      if (family === 'order') keep(bytes, wishes.fault)
      const look = (looks.get(names.join()) ?? 0) + 1
      if (names.length > 0) looks.set(names.join(), look)
      return await run(
        socket,
        fault.play({ family, type, bytes, cap: readCap(text), trapUrl, look }),
        call,
        signal,
      )
    } finally {
      call.endedAt = now()
    }
  }

  const readWishes = (request: RawRequest, text: string, names: readonly string[]): Wishes => {
    // The expected words are the only text of the caller in a transcription.
    const word = (kind: string) => new RegExp(`(?:^|["\\s])${kind}-([\\w-]+)`).exec(text)?.[1] ?? null
    const given = request.headers.get('x-sandbox-switches')
    const said = { ...findSwitches(text), ...(given === null ? {} : parseSwitches(given)) }
    const remembered = names.map(name => kept.get(name)).find(name => name !== undefined) ?? null
    return {
      fault: said.fault ?? word('fault') ?? remembered ?? common.fault ?? null,
      mark: said.mark ?? word('mark') ?? null,
    }
  }

  const keep = (bytes: Uint8Array, fault: string | null): void => {
    if (fault === null) return
    const text = Buffer.from(bytes).toString()
    for (const name of text.startsWith('{') ? namesIn(JSON.parse(text)) : []) kept.set(name, fault)
  }

  const controlReply = ({ method, target }: RawRequest, text: string): Script | null => {
    const [path, query] = target.split('?')
    if (path === '/sandbox/calls') {
      const from = Number(new URLSearchParams(query).get('from') ?? 0)
      return sendWhole(200, JSON.stringify(log.read(from)))
    }
    if (path === '/sandbox/faults') return sendWhole(200, JSON.stringify(describeFaults()))
    // The sandbox behind handles the other switches. The fault is played here.
    if (path === '/sandbox/switches' && method === 'POST') common = JSON.parse(text) as Switches
    if (path === '/sandbox/reset' && method === 'POST') common = {}
    return null
  }

  const ask = (request: RawRequest, signal: AbortSignal): Promise<Response> => {
    const { method, target, headers, body } = request
    const kept = new Headers(headers)
    for (const name of ['connection', 'content-length', 'transfer-encoding', 'accept-encoding'])
      kept.delete(name)
    return fetch(`${sandbox.url}${target}`, {
      method,
      headers: kept,
      redirect: 'manual',
      signal,
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    })
  }

  /** Relays the sandbox's answer piece by piece. */
  const relay = async (
    socket: Socket,
    request: RawRequest,
    call: LoggedCall | null,
    signal: AbortSignal,
    fault: string | null = null,
  ): Promise<boolean> => {
    const response = await ask(request, signal)
    const headers = Object.fromEntries(response.headers)
    delete headers['content-length']
    delete headers['transfer-encoding']
    if (call !== null) call.status = response.status
    const isStream = call !== null && streamed.includes(call.family) && response.status === 200
    if (!isStream || response.body === null) {
      const bytes = await response.bytes()
      if (call !== null && response.status === 200 && bytes.length < 1 << 22) {
        Object.assign(call, readFigures(Buffer.from(bytes).toString('latin1')))
      }
      if (call?.family === 'order' || call?.family === 'poll') keep(bytes, fault)
      return run(
        socket,
        [writeHead(response.status, { ...headers, 'content-length': String(bytes.length) }), bytes],
        call,
        signal,
      )
    }
    let text = ''
    const steps = async function* (body: ReadableStream<Uint8Array>): AsyncGenerator<Step> {
      yield writeHead(response.status, { ...headers, 'transfer-encoding': 'chunked' })
      try {
        for await (const piece of body) {
          text = (text + Buffer.from(piece).toString('latin1')).slice(-(1 << 16))
          if (piece.length > 0) yield frameChunk(piece)
        }
      } catch {
        // The sandbox was told to break the stream off.
        yield 'close'
        return
      }
      yield lastChunk
      if (call !== null) Object.assign(call, readFigures(text))
    }
    return run(socket, steps(response.body), call, signal)
  }

  /** Waits for a slow reader. False when the connection has ended. */
  const run = async (
    socket: Socket,
    steps: Iterable<Step> | AsyncIterable<Step>,
    call: LoggedCall | null,
    signal: AbortSignal,
  ): Promise<boolean> => {
    for await (const step of steps) {
      if (signal.aborted || socket.destroyed) return false
      if (step === 'reset') socket.resetAndDestroy()
      else if (step === 'close') socket.end()
      else if (step === 'hold') await untilAborted(signal)
      else if (typeof step === 'object' && 'pauseMs' in step)
        await Promise.race([wait(step.pauseMs), untilAborted(signal)])
      else {
        const isTaken = socket.write(step)
        if (call !== null) call.lastSentAt = now()
        if (!isTaken) await untilDrained(socket, signal)
        continue
      }
      if (step === 'reset' || step === 'close' || step === 'hold') return false
    }
    if (call !== null) call.isWhole = !signal.aborted
    return !signal.aborted
  }

  const server = createServer(socket => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('close', () => sockets.delete(socket))
    // A caller that breaks off is not an error.
    socket.on('error', () => undefined)
    serve(socket).catch(() => socket.destroy())
  })
  await new Promise<void>(resolve => server.listen(options.port, host, resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port

  return Object.freeze({
    ...sandbox,
    url: `http://${host}:${port}`,
    setSwitches: (switches: Switches) => {
      sandbox.setSwitches(switches)
      common = switches
    },
    log: log.read,
    stop: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all([sandbox.stop(), trap.stop(true)])
    },
  })
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
