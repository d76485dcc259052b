// Stands between an agent and the gateway: what was asked, with which headers, and what came back.

export type Overheard = {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string
  readonly status: number
  /** Seconds since the first request. */
  readonly at: number
}

export type Tap = {
  readonly url: string
  readonly calls: readonly Overheard[]
  readonly stop: () => Promise<void>
}

/** `beforePaid` runs before a paid call goes on; `index` counts them from 0. */
export function startTap(gatewayUrl: string, beforePaid: (index: number) => Promise<void>): Tap {
  const calls: Overheard[] = []
  let paid = 0
  let first: number | null = null
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async request => {
      const { pathname, search } = new URL(request.url)
      const body = await request.text()
      const now = performance.now()
      first ??= now
      if (isPaid(request.method, pathname)) {
        paid += 1
        await beforePaid(paid - 1)
      }
      const headers = new Headers(request.headers)
      for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) headers.delete(name)
      const response = await fetch(`${gatewayUrl}${pathname}${search}`, {
        method: request.method,
        headers,
        ...(body === '' ? {} : { body }),
        signal: request.signal,
      })
      const { method } = request
      const at = (now - first) / 1000
      calls.push({ method, path: pathname, headers: request.headers, body, status: response.status, at })
      return new Response(response.body, response)
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, calls, stop: () => server.stop(true) }
}

export function isPaid(method: string, path: string): boolean {
  return (
    method === 'POST' &&
    /\/(?:messages|responses(?:\/compact)?|chat\/completions)$|:(?:stream)?generateContent$/i.test(path)
  )
}
