// Pages of each door that need no credential: health, the reference page, the OpenAPI document.
import type { Wire } from '../start-wire.ts'

export async function recordPages(wire: Wire): Promise<void> {
  for (const door of ['gateway', 'logbook', 'admin'] as const) {
    // The team page is a document with its own nonce; its journeys are in the browser.
    const start = door === 'gateway' ? [] : ['/']
    for (const path of [...start, '/health/live', '/health/ready', '/health/open'])
      await wire.ask(`${door} ${path}`, `GET ${path}`, { door })
    for (const path of ['/docs', '/docs/', '/docs/docs.css'])
      await wire.ask(`${door} ${path}`, `GET ${path}`, { door, isDigest: true })
    await wire.ask(`${door} /openapi.json`, 'GET /openapi.json', { door, isDocument: true })
    await wire.ask(`${door} HEAD /docs`, 'HEAD /docs', { door })
    await wire.ask(`${door} POST /docs`, 'POST /docs', { door })
    await wire.ask(`${door} /favicon.ico`, 'GET /favicon.ico', { door })
    await wire.ask(`${door} /metrics`, 'GET /metrics', { door, isBuild: door === 'admin' })
  }
}
