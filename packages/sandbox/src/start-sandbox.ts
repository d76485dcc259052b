// A stand-in for the vendor: its wire over real HTTP, without a model, without cost, the same answers each time.
import { createGenerate, type GenerateCall } from './answer-generate.ts'
import { type Counters, createCounters } from './counters.ts'
import { readRequest } from './read-request.ts'
import { countPrompt } from './reply/plan-reply.ts'
import { checkSwitches, type Switches } from './switches.ts'
import { buildErrorBody, invalidKeyError, VendorError } from './vendor-error.ts'

export type SandboxOptions = {
  /** 0 takes a free one. */
  readonly port: number
  /** Upstream keys that it accepts. */
  readonly keys: readonly string[]
  /** Model ids that it has; any `gemini-…` when absent. */
  readonly models?: readonly string[]
  readonly host?: string
  readonly wait?: (milliseconds: number) => Promise<void>
}

export type Sandbox = {
  /** Base address without a trailing slash. */
  readonly url: string
  readonly counters: () => Counters
  readonly resetCounters: () => void
  /** Replaces the switches that hold for all calls. Throws an Error that names the one at fault. */
  readonly setSwitches: (switches: Switches) => void
  /** Breaks running replies off. */
  readonly stop: () => Promise<void>
}

const modelPath = /^\/v1(?:beta)?\/models\/([^:/]+)(?::([A-Za-z]+))?$/

export function startSandbox(options: SandboxOptions): Sandbox {
  const counters = createCounters()
  let common: Switches = {}
  const generate = createGenerate({
    counters,
    commonSwitches: () => common,
    wait: options.wait ?? (milliseconds => Bun.sleep(milliseconds)),
  })

  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url)
    if (url.pathname.startsWith('/sandbox/')) return control(request, url.pathname)
    checkKey(request, url, options.keys)
    if (url.pathname === '/v1beta/models')
      return Response.json({ models: (options.models ?? []).map(describeModel) })
    const found = modelPath.exec(url.pathname)
    const model = found?.[1] ?? ''
    if (found === null || !hasModel(options.models, model)) throw modelNotFound(model)
    switch (found[2]) {
      case undefined:
        return Response.json(describeModel(model))
      case 'generateContent':
        return generate({ model, form: 'unary', request })
      case 'streamGenerateContent':
        return generate({ model, form: streamForm(url), request })
      case 'countTokens':
        counters.count()
        return Response.json(await countTokens(request))
      default:
        throw modelNotFound(model)
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
    throw new VendorError(404, 'The sandbox has /sandbox/counters, /sandbox/switches and /sandbox/reset.')
  }

  const server = Bun.serve({
    hostname: options.host ?? '127.0.0.1',
    port: options.port,
    idleTimeout: 0,
    fetch: async request => {
      try {
        return await answer(request)
      } catch (error) {
        const known = error instanceof VendorError ? error : new VendorError(400, describe(error))
        return Response.json(buildErrorBody(known), { status: known.code })
      }
    },
    // A stream that was told to break off throws; that is no news.
    error: () => new Response(null, { status: 500 }),
  })

  return Object.freeze({
    url: `http://${options.host ?? '127.0.0.1'}:${server.port}`,
    counters: counters.read,
    resetCounters: counters.reset,
    setSwitches: (switches: Switches) => {
      common = checkSwitches(switches)
    },
    stop: () => server.stop(true),
  })
}

function streamForm(url: URL): GenerateCall['form'] {
  return url.searchParams.get('alt') === 'sse' ? 'sse' : 'array'
}

/** In the vendor's way: 403 without a key, 400 with a wrong one. */
function checkKey(request: Request, url: URL, keys: readonly string[]): void {
  const key = request.headers.get('x-goog-api-key') ?? url.searchParams.get('key')
  if (key === null) throw new VendorError(403)
  if (!keys.includes(key)) throw invalidKeyError()
}

function hasModel(models: readonly string[] | undefined, model: string): boolean {
  return models === undefined ? model.startsWith('gemini-') : models.includes(model)
}

function modelNotFound(model: string): VendorError {
  return new VendorError(
    404,
    `models/${model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
  )
}

function describeModel(id: string): object {
  return {
    name: `models/${id}`,
    version: 'sandbox',
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }
}

/** `contents` alone or a whole `generateContentRequest`; the same number as a call's promptTokenCount. */
async function countTokens(request: Request): Promise<object> {
  const body: unknown = await request.json()
  const wrapped =
    typeof body === 'object' && body !== null && 'generateContentRequest' in body
      ? body.generateContentRequest
      : body
  const totalTokens = countPrompt(readRequest(wrapped))
  return { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
