// Simulates the vendor: its wire format over real HTTP, without a model or costs, and with repeatable answers.

import { createVendor } from './answer-vendor.ts'
import { createAnthropic } from './anthropic/answer-anthropic.ts'
import { refuseAnthropic } from './anthropic/anthropic-error.ts'
import { createCallCount } from './count-calls.ts'
import { type Counters, createCounters } from './counters.ts'
import { type KeyState, SandboxKeys } from './keys.ts'
import { createTrouble } from './make-trouble.ts'
import { createOpenai } from './openai/answer-openai.ts'
import { refuseOpenai } from './openai/openai-error.ts'
import { checkSwitches, type Switches } from './switches.ts'
import type { Tools } from './tools.ts'
import { buildErrorBody, VendorError } from './vendor-error.ts'

export type SandboxOptions = {
  /** 0 takes a free port. */
  readonly port: number
  /** Accepted upstream keys. */
  readonly keys: readonly string[]
  /** Available model ids. Absent: any model of the vendor's families. */
  readonly models?: readonly string[]
  readonly host?: string
  readonly wait?: (milliseconds: number) => Promise<void>
  /** Milliseconds since 1970, for videos in progress and cached prompts. */
  readonly now?: () => number
}

export type Sandbox = {
  /** Base address without a trailing slash. */
  readonly url: string
  readonly counters: () => Counters
  readonly resetCounters: () => void
  /** Replaces the switches for all calls. Throws an Error that names the switch at fault. */
  readonly setSwitches: (switches: Switches) => void
  /** Sets the state of a key from now on, and adds it if it was unknown. */
  readonly setKey: (key: string, state: KeyState) => void
  /** Breaks off running replies. */
  readonly stop: () => Promise<void>
}

/** A wire format below its own prefix, with its own form of errors. Everything else is the vendor's. */
type Dialect = {
  readonly prefix: string
  readonly answer: (request: Request, path: string, requestId: string) => Promise<Response>
  readonly refuse: (error: VendorError, requestId: string) => Response
}

export function startSandbox(options: SandboxOptions): Sandbox {
  const counters = createCounters()
  let common: Switches = {}
  const wait = options.wait ?? (milliseconds => Bun.sleep(milliseconds))
  const tools: Tools = {
    counters,
    countCall: createCallCount(counters),
    commonSwitches: () => common,
    trouble: createTrouble(wait),
    wait,
    now: options.now ?? Date.now,
  }
  const keys = new SandboxKeys(options.keys)
  const answerVendor = createVendor({ tools, keys, models: options.models })
  const dialects: readonly Dialect[] = [
    { prefix: '/openai/v1/', answer: createOpenai({ tools, keys }), refuse: refuseOpenai },
    { prefix: '/anthropic/v1/', answer: createAnthropic({ tools, keys }), refuse: refuseAnthropic },
  ]
  let requests = 0

  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    if (url.pathname.startsWith('/sandbox/')) return control(request, url.pathname)
    const dialect = dialects.find(({ prefix }) => url.pathname.startsWith(prefix))
    if (dialect === undefined) return answerVendor(request, url)
    requests += 1
    const requestId = `req_sandbox_${requests}`
    try {
      return await dialect.answer(request, url.pathname.slice(dialect.prefix.length), requestId)
    } catch (error) {
      return dialect.refuse(asVendorError(error), requestId)
    }
  }

  /** The sandbox's own side door; the real vendor has none. */
  const control = async (request: Request, path: string): Promise<Response> => {
    if (path === '/sandbox/counters') return Response.json(counters.read())
    if (path === '/sandbox/reset' && request.method === 'POST') {
      counters.reset()
      common = {}
      return Response.json({ ok: true })
    }
    if (path === '/sandbox/switches' && request.method === 'POST') {
      common = checkSwitches(await request.json())
      return Response.json(common)
    }
    if (path === '/sandbox/keys' && request.method === 'POST') {
      return Response.json(keys.setAll(await request.json()))
    }
    throw new VendorError(
      404,
      'The sandbox has /sandbox/counters, /sandbox/switches, /sandbox/keys and /sandbox/reset.',
    )
  }

  const server = Bun.serve({
    hostname: options.host ?? '127.0.0.1',
    port: options.port,
    idleTimeout: 0,
    fetch: async request => {
      try {
        return await answer(request)
      } catch (error) {
        const known = asVendorError(error)
        const body = buildErrorBody(known)
        return Response.json(known.isInArray ? [body] : body, { status: known.code })
      }
    },
    // A stream that is set to break off throws, which is not an error.
    error: () => new Response(null, { status: 500 }),
  })

  return Object.freeze({
    url: `http://${options.host ?? '127.0.0.1'}:${server.port}`,
    counters: counters.read,
    resetCounters: counters.reset,
    setSwitches: (switches: Switches) => {
      common = checkSwitches(switches)
    },
    setKey: (key: string, state: KeyState) => keys.set(key, state),
    stop: () => server.stop(true),
  })
}

/** Other errors describe a fault in the request, for example an unknown switch. */
function asVendorError(error: unknown): VendorError {
  if (error instanceof VendorError) return error
  return new VendorError(400, error instanceof Error ? error.message : String(error))
}
