// Serves the documents of the console, the judge's page, the team page and the wall with their files. The server writes both page and policy, since none
// works without the other.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { AppName, BuiltFile, OpenedPages } from '@fairgate/console/open-pages.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { html } from '../html.ts'
import type { OpenPage } from '../open-pages.ts'

export type PagesDependencies = {
  /** Rejects if the pages cannot be built. */
  readonly open: () => Promise<OpenedPages>
  readonly reportFailure: (error: unknown) => void
}

export type Pages = {
  /** A document for every address in `paths`; the page's own router parses them. `root`: the address of its files. */
  readonly documents: (
    app: AppName,
    root: string,
    paths: readonly string[],
  ) => Readonly<Record<string, OpenPage>>
  /** The script of a claim's pages, below the `root` of the team page. Null if it cannot be built. */
  readonly joinScript: (root: string) => Promise<string | null>
  /** Builds everything not built yet, so that the first reader does not wait. Never rejects. */
  readonly prepare: () => Promise<void>
}

export function createPages({ open, reportFailure }: PagesDependencies): Pages {
  let opening: Promise<OpenedPages> | null = null
  const opened = (): Promise<OpenedPages> => {
    opening ??= open().catch((error: unknown) => {
      // The next request tries again.
      opening = null
      reportFailure(error)
      throw new ApiError('unavailable', {
        message: 'The pages could not be built. See the server log for the reason.',
        cause: error,
      })
    })
    return opening
  }
  return {
    documents: (app, root, paths) => {
      const answerDocument: OpenPage = async () => {
        const nonce = randomBytes(16).toString('base64')
        return new Response(writeDocument(await opened(), app, root, nonce), {
          headers: {
            'content-type': 'text/html; charset=utf-8',
            'cache-control': 'no-store',
            'content-security-policy': writePolicy(nonce),
            'referrer-policy': 'no-referrer',
            'cross-origin-opener-policy': 'same-origin',
            'permissions-policy': 'camera=(), geolocation=(), microphone=()',
          },
        })
      }
      const answerFile: OpenPage = async request => serveFile(await opened(), request)
      return {
        ...Object.fromEntries(paths.map(path => [path, answerDocument])),
        [`${root}/:file`]: answerFile,
      }
    },
    joinScript: root =>
      opened().then(
        ({ manifest }) => `${root}/${manifest.joinScript}`,
        () => null,
      ),
    prepare: async () => {
      await opened().catch(() => undefined)
    },
  }
}

/**
 * Nothing from elsewhere, no inline script. Styles that a library writes carry the nonce. `style-src-attr` forbids styles in markup;
 * React sets them through the document's own objects.
 */
function writePolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'none'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function writeDocument({ manifest }: OpenedPages, app: AppName, root: string, nonce: string): string {
  const { script, style, preload } = manifest.apps[app]
  return `<!doctype html>
${
  html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="csp-nonce" content="${nonce}">
<title>Fairgate</title>
<link rel="icon" href="data:,">
<script src="${root}/${manifest.schemeScript}"></script>
<link rel="preload" href="${root}/${manifest.font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${root}/${style}">
${preload.map(
  each => html`<link rel="modulepreload" href="${root}/${each}">
`,
)}<script type="module" src="${root}/${script}"></script>
</head>
<body>
<div id="root"></div>
<noscript>This page needs JavaScript. The command line and <a href="/docs">the documented routes</a> offer everything on it too.</noscript>
</body>
</html>
`.markup
}`
}

/** Named by their content: a file never changes, and may be kept for a year. */
const fileHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  vary: 'accept-encoding',
  'cross-origin-resource-policy': 'same-origin',
}

function serveFile({ folder, manifest }: OpenedPages, request: Request): Response {
  const name = new URL(request.url).pathname.split('/').at(-1) ?? ''
  const file = Object.hasOwn(manifest.files, name) ? manifest.files[name] : undefined
  if (file === undefined)
    throw new ApiError('not_found', {
      message: 'This file belongs to another version of the page. Reload the page.',
    })
  const { ending, encoding } = chooseEncoding(file, request.headers.get('accept-encoding') ?? '')
  return new Response(Bun.file(join(folder, name + ending)), {
    headers: {
      ...fileHeaders,
      'content-type': file.type,
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
  })
}

function chooseEncoding(
  { bytes, gzip, brotli }: BuiltFile,
  accepted: string,
): { readonly ending: string; readonly encoding: string | null } {
  if (gzip >= bytes) return { ending: '', encoding: null }
  const names = accepted.split(',').flatMap(part => {
    const [name = '', quality = 'q=1'] = part.split(';').map(piece => piece.trim().toLowerCase())
    return /^q=0(\.0*)?$/.test(quality) ? [] : [name]
  })
  if (brotli < gzip && names.includes('br')) return { ending: '.br', encoding: 'br' }
  return names.includes('gzip') ? { ending: '.gz', encoding: 'gzip' } : { ending: '', encoding: null }
}
