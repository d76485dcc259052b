// Serves `/metrics` and `/health/*` at an address of their own, for a scraper that must not reach the admin door.
import type { Config } from '../config/config.ts'
import { answerLive, answerReady } from '../http/health.ts'
import { canBeShared } from './listen.ts'
import type { Readiness } from './readiness.ts'

export type MetricsPages = {
  readonly answerMetrics: () => Promise<Response>
  readonly readiness: Pick<Readiness, 'isReady' | 'whyNot'>
  /** How several processes share the address; null for a process that has it to itself. */
  readonly sharing: { readonly isBesideOthers: boolean } | null
}

/** Throws an Error that names the setting when the address is taken. */
export function serveMetrics(
  { host, port }: NonNullable<Config['metrics']>,
  { answerMetrics, readiness, sharing }: MetricsPages,
) {
  const pages: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/metrics': answerMetrics,
    '/health/live': () => answerLive('metrics'),
    '/health/ready': () => answerReady('metrics', readiness.isReady, readiness.whyNot),
  }
  const answer = ({ method, url }: Request): Response | Promise<Response> => {
    if (method !== 'GET' && method !== 'HEAD')
      return new Response('Only GET and HEAD.\n', { status: 405, headers: { allow: 'GET, HEAD' } })
    const page = pages[new URL(url).pathname]
    return page === undefined
      ? new Response(`There is nothing here but ${Object.keys(pages).join(', ')}.\n`, { status: 404 })
      : page()
  }
  try {
    const reusePort = sharing !== null && (sharing.isBesideOthers || canBeShared(port))
    const server = Bun.serve({ hostname: host, port, reusePort, fetch: answer })
    return {
      port: server.port ?? port,
      url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
      stop: () => server.stop(true),
    }
  } catch (cause) {
    throw new Error(
      `Cannot listen on ${host}:${port}. Is another program there? Set FAIRGATE_METRICS_PORT to a free port.`,
      { cause },
    )
  }
}
