// Plain requests to the pass-through, and the same to the sandbox itself, to compare the two.
import { type Fairgate, upstreamKey } from './start-fairgate.ts'

export type GeminiReply = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Our code, when the error is ours. */
  readonly reason: string | null
}

type Extra = { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal }

export type GeminiError = {
  readonly error: {
    readonly code: number
    readonly message: string
    readonly status: string
    readonly details?: readonly { readonly domain?: string; readonly reason?: string }[]
  }
}

export function createPassThroughCaller(fairgate: Fairgate, key: string) {
  const post = (path: string, body: object | string, { headers, signal }: Extra = {}) =>
    fetch(`${fairgate.gatewayUrl}/vendor/v1beta/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-vendor-api-key': key, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    })
  return {
    post,
    call: async (path: string, body: object | string, extra?: Extra) =>
      readReply(await post(path, body, extra)),
    get: async (path: string) =>
      readReply(
        await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/${path}`, { headers: { 'x-vendor-api-key': key } }),
      ),
    /** The sandbox's own bytes for the same request. */
    ask: async (path: string, body: object | string): Promise<string> => {
      const response = await fetch(`${fairgate.sandbox.url}/v1beta/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': upstreamKey },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return response.text()
    },
  }
}

async function readReply(response: Response): Promise<GeminiReply> {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, reason: reasonOf(text) }
}

function reasonOf(text: string): string | null {
  if (!text.startsWith('{"error"')) return null
  const { error } = JSON.parse(text) as GeminiError
  return error.details?.find(({ domain }) => domain === 'fairgate')?.reason ?? null
}

/** A prompt in the vendor's form. */
export function say(text: string, more: object = {}): object {
  return { contents: [{ role: 'user', parts: [{ text }] }], ...more }
}

/** The sandbox numbers its replies; everything else in them must be equal. */
export function withoutNumber(text: string): string {
  return text.replaceAll(/sandbox-[0-9a-z]{14}/g, 'sandbox-N')
}
