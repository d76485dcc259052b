// Serves `/metrics` and `/health/*` at a separate address, for a scraper that must not reach the admin door.
import { answerLive, answerReady } from '../http/health.ts'
import type { World } from '../world/world.ts'
import { canBeShared } from './listen.ts'
import type { Readiness } from './readiness.ts'
import type { Place } from './running-server.ts'

/** Null if the settings name no such address. Throws an Error that names the setting if the address is taken. */
export function serveMetrics(
  { config, onStop }: World,
  { sharing }: Pick<Place, 'sharing'>,
  readiness: Readiness,
  answerMetrics: () => Promise<Response>,
): { readonly url: string; readonly port: number } | null {
  if (config.metrics === null) return null
  const { host, port } = config.metrics
  const pages: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/metrics': answerMetrics,
    '/health/live': () => answerLive('metrics'),
    '/health/ready': () => answerReady('metrics', readiness.whyNot()),
  }
  const answer = ({ method, url }: Request): Response | Promise<Response> => {
    if (method !== 'GET' && method !== 'HEAD')
      return new Response('Only GET and HEAD are allowed.\n', {
        status: 405,
        headers: { allow: 'GET, HEAD' },
      })
    const page = pages[new URL(url).pathname]
    return page === undefined
      ? new Response(`Not found. Available: ${Object.keys(pages).join(', ')}.\n`, { status: 404 })
      : page()
  }
  try {
    const reusePort = sharing !== null && (sharing.isBesideOthers || canBeShared(port))
    const server = Bun.serve({ hostname: host, port, reusePort, fetch: answer })
    onStop(() => server.stop(true))
    return {
      port: server.port ?? port,
      url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
    }
  } catch (cause) {
    throw new Error(
      `Cannot listen on ${host}:${port}. Is another program using it? Set FAIRGATE_METRICS_PORT to a free port.`,
      { cause },
    )
  }
}
