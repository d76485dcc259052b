// The replies that every door gives without authentication: health, the OpenAPI document and the reference page.
import { readFileSync } from 'node:fs'
import { createDocsPage, type PageSection, type ReadSections } from './docs-page.ts'
import { answerLive, answerOpen, answerReady, type NotReadyReason, probes } from './health.ts'
import type { OpenapiDocument } from './openapi.ts'
import { shareComponents } from './share-components.ts'

export type OpenPage = (request: Request) => Response | Promise<Response>

export type OpenPagesOptions = {
  /** The door's name. */
  readonly name: string
  readonly readOpenapi: () => OpenapiDocument
  /** As `/health/ready` shows it; null if requests are accepted. */
  readonly whyNotReady: () => NotReadyReason | null
  /** More replies without authentication, path → page; `/` leads to the reference unless it is set here. */
  readonly openPages?: Readonly<Record<string, OpenPage>>
  /** Sections of the reference page besides the routes. */
  readonly readSections?: ReadSections
}

/** Headers of any HTML that a door serves: no script, no frame, nothing from elsewhere. */
export const htmlHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

const noSections: readonly PageSection[] = []

/**
 * Path → page. Texts are rendered once, for the first reader: at a start they would take more time than everything else in a door.
 * The reference page is rendered again when its sections have changed.
 */
export function createOpenPages(options: OpenPagesOptions): Record<string, OpenPage> {
  const { name, readOpenapi, whyNotReady, openPages, readSections = () => noSections } = options
  const readDocument = once(() => JSON.stringify(shareComponents(readOpenapi())))
  const readWriter = once(() => createDocsPage(readOpenapi()))
  const style = readFileSync(new URL('docs.css', import.meta.url), 'utf8')
  const serve = (readText: () => string, headers: Record<string, string>): OpenPage => {
    return () => new Response(readText(), { headers: { 'cache-control': 'no-cache', ...headers } })
  }
  return {
    '/health/live': () => answerLive(name),
    '/health/ready': () => answerReady(name, whyNotReady()),
    '/health/open': () => answerOpen(name, whyNotReady()),
    ...Object.fromEntries(
      Object.entries(probes).map(([path, answer]): [string, OpenPage] => [path, () => answer(whyNotReady())]),
    ),
    '/openapi.json': serve(readDocument, { 'content-type': 'application/json' }),
    '/docs': createReference(sections => readWriter()({ sections }), readSections),
    '/docs/': createReference(sections => readWriter()({ sections, root: '../' }), readSections),
    '/docs/docs.css': serve(() => style, { 'content-type': 'text/css; charset=utf-8' }),
    '/': () => new Response(null, { status: 302, headers: { location: '/docs' } }),
    ...openPages,
  }
}

/** Creates a value when it is first requested. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Renders the page again only when its sections have changed. */
function createReference(
  write: (sections: readonly PageSection[]) => string,
  readSections: ReadSections,
): OpenPage {
  let shown: { readonly sections: readonly PageSection[]; readonly page: string } | null = null
  return () => {
    const sections = readSections()
    if (shown?.sections !== sections) shown = { sections, page: write(sections) }
    return new Response(shown.page, { headers: { 'cache-control': 'no-cache', ...htmlHeaders } })
  }
}
