// Sends requests to the door that served this page: JSON both ways, files as they are, with the session cookie, and one error type.

/** A refused or failed request with the server's error. `status` 0: no answer. */
export class RequestFailure extends Error {
  readonly status: number
  readonly code: string
  /** The member of the body at fault. */
  readonly param: string | null
  readonly callId: string | null
  /** Seconds. */
  readonly retryAfter: number | null

  constructor(facts: {
    readonly status: number
    readonly code: string
    readonly message: string
    readonly param?: string | null
    readonly callId?: string | null
    readonly retryAfter?: number | null
  }) {
    super(facts.message)
    this.status = facts.status
    this.code = facts.code
    this.param = facts.param ?? null
    this.callId = facts.callId ?? null
    this.retryAfter = facts.retryAfter ?? null
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type QueryValues = Readonly<Record<string, string | number | boolean | null | undefined>>

export type SendRequest = <Reply>(
  method: Method,
  path: string,
  options?: { readonly query?: QueryValues; readonly body?: unknown; readonly signal?: AbortSignal },
) => Promise<Reply>

const signInPaths: ReadonlySet<string> = new Set(['/session', '/self/session', '/judging/sign-in'])

/** `onSignedOut` is called for every 401, except those of sign-in itself. */
export function createSendRequest(fetch: typeof globalThis.fetch, onSignedOut: () => void): SendRequest {
  return async (method, path, { query = {}, body, signal } = {}) => {
    const response = await fetch(withQuery(path, query), {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: body === undefined && method === 'GET' ? {} : { 'content-type': typeOf(body) },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'AbortError') throw error
      throw new RequestFailure({
        status: 0,
        code: 'no_connection',
        message: 'The server is not responding. Check your network. This page retries by itself.',
      })
    })
    if (response.ok) return response.status === 204 ? undefined : readJson(response)
    const failure = await readFailure(response)
    if (failure.status === 401 && !signInPaths.has(path)) onSignedOut()
    throw failure
  }
}

/** The server refuses types that a form of another site could send. */
function typeOf(body: unknown): string {
  return body instanceof Blob ? 'application/octet-stream' : 'application/json'
}

export function withQuery(path: string, query: QueryValues): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

// biome-ignore lint/suspicious/noExplicitAny: the server's schemas guarantee the shape; callers name the type.
async function readJson(response: Response): Promise<any> {
  return response.json()
}

async function readFailure(response: Response): Promise<RequestFailure> {
  const callId = response.headers.get('x-gateway-call-id')
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  const facts = { status: response.status, callId, retryAfter: Number.isFinite(wait) ? wait : null }
  try {
    const { error } = (await response.json()) as {
      readonly error: { readonly message: string; readonly code: string; readonly param: string | null }
    }
    return new RequestFailure({ ...facts, code: error.code, message: error.message, param: error.param })
  } catch {
    return new RequestFailure({
      ...facts,
      code: 'unreadable_reply',
      message: `The server answered ${response.status} without an error message.`,
    })
  }
}
