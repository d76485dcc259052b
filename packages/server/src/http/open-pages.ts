// The replies that every door gives without authentication: health, the OpenAPI document and the reference page.
import { readFileSync } from 'node:fs'
import { renderDocsPage } from './docs-page.ts'
import { answerLive, answerReady, type NotReadyReason } from './health.ts'
import type { OpenapiDocument } from './openapi.ts'

export type OpenPage = (request: Request) => Response | Promise<Response>

export type OpenPagesOptions = {
  /** The door's name. */
  readonly name: string
  readonly openapi: OpenapiDocument
  readonly isReady: () => boolean
  readonly whyNotReady?: () => NotReadyReason | null
  readonly openPages?: Readonly<Record<string, OpenPage>>
}

/** Headers of any HTML that a door serves: no script, no frame, nothing from elsewhere. */
export const htmlHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** Path → page. Texts are rendered once, at the start. */
export function createOpenPages(options: OpenPagesOptions): Record<string, OpenPage> {
  const { name, openapi, isReady, whyNotReady = () => null, openPages } = options
  const document = JSON.stringify(openapi)
  const page = renderDocsPage(openapi)
  const style = readFileSync(new URL('docs.css', import.meta.url), 'utf8')
  const serve = (text: string, headers: Record<string, string>): OpenPage => {
    return () => new Response(text, { headers: { 'cache-control': 'no-cache', ...headers } })
  }
  return {
    '/health/live': () => answerLive(name),
    '/health/ready': () => answerReady(name, isReady, whyNotReady),
    '/openapi.json': serve(document, { 'content-type': 'application/json' }),
    '/docs': serve(page, htmlHeaders),
    '/docs/docs.css': serve(style, { 'content-type': 'text/css; charset=utf-8' }),
    '/': () => new Response(null, { status: 302, headers: { location: '/docs' } }),
    ...openPages,
  }
}
