// Serves the recorder to participants, without authentication: the program, a package for npm, install scripts and a page.
//
// The program is built from its sources when it is first asked for, and kept in memory: there is nothing to build before the start.
import { createHash } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { version } from '@fairgate/recorder/build-program.ts'
import { platforms } from '@fairgate/recorder/executables.ts'
import { packRecorder } from '@fairgate/recorder/npm-package.ts'
import { html } from '../../http/html.ts'
import { htmlHeaders, type OpenPage } from '../../http/open-pages.ts'
import type { World } from '../../world/world.ts'
import { listPrograms, type StandAloneProgram } from './create-programs.ts'
import { type ScriptFacts, writeInstallScript, writePowershellScript } from './install-script.ts'

export type RecorderPagesDependencies = Pick<World, 'wait'> & {
  /** The configured address of the logbook. The host in a request is not trusted. */
  readonly publicUrl: string
  /** The configured address of the gateway. */
  readonly gatewayUrl: string
  readonly buildProgram: () => Promise<Uint8Array>
  /** The programs that need no Node; empty if they cannot be built. Never rejects. */
  readonly findPrograms: () => Promise<readonly StandAloneProgram[]>
}

type Page = { readonly body: Uint8Array; readonly etag: string; readonly headers: Record<string, string> }

export function createRecorderPages(dependencies: RecorderPagesDependencies): Record<string, OpenPage> {
  let building: Promise<Map<string, Page>> | null = null
  const pages = (): Promise<Map<string, Page>> => {
    building ??= buildPages(dependencies).catch((error: unknown) => {
      // The next request tries again.
      building = null
      throw error
    })
    return building
  }
  const serve = (path: string): OpenPage => {
    return async request => {
      const page = (await pages()).get(path)
      if (page === undefined) throw new Error(`${path} was not built.`)
      const headers = { ...page.headers, etag: page.etag, 'cache-control': 'no-cache' }
      const isKnown = request.headers.get('if-none-match')?.includes(page.etag) === true
      return isKnown ? new Response(null, { status: 304, headers }) : new Response(page.body, { headers })
    }
  }
  const { findPrograms, wait } = dependencies
  // The page's links are relative and would break at an address that ends in a slash.
  const withoutSlash = () => new Response(null, { status: 302, headers: { location: '../recorder' } })
  return {
    '/recorder/': withoutSlash,
    ...Object.fromEntries(paths.map(path => [path, serve(path)])),
    // Only an installation waits for this build. If it takes too long, the installation uses the script instead.
    '/recorder/programs.txt': async () => {
      const found = await Promise.race([findPrograms(), wait(longestBuildMs).then(() => [])])
      return new Response(listPrograms(found), {
        headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' },
      })
    },
    ...Object.fromEntries(
      platforms.map(platform => [
        `/recorder/fairgate-recorder-${platform}.gz`,
        (request: Request) => serveProgram(platform, request, findPrograms),
      ]),
    ),
  }
}

/** Milliseconds. The runtime closes a connection that is silent for 10 s. */
const longestBuildMs = 8000

/** Streams the program from disk, because it has about 60 MB. */
async function serveProgram(
  platform: string,
  request: Request,
  findPrograms: RecorderPagesDependencies['findPrograms'],
): Promise<Response> {
  const program = (await findPrograms()).find(found => found.platform === platform)
  if (program === undefined) throw new ApiError('not_found')
  const etag = `"${program.sha256}"`
  const headers = { 'content-type': 'application/gzip', 'cache-control': 'no-cache', etag }
  const isKnown = request.headers.get('if-none-match')?.includes(etag) === true
  return isKnown
    ? new Response(null, { status: 304, headers })
    : new Response(Bun.file(program.path), { headers })
}

const paths = [
  '/recorder',
  '/recorder/install.sh',
  '/recorder/install.ps1',
  '/recorder/fairgate-recorder.cjs',
  '/recorder/fairgate-recorder.tgz',
] as const

async function buildPages({
  publicUrl,
  gatewayUrl,
  buildProgram,
}: RecorderPagesDependencies): Promise<Map<string, Page>> {
  const program = await buildProgram()
  const sha256 = digest(program)
  const facts = { publicUrl, gatewayUrl, version, sha256 }
  const plain = { 'content-type': 'text/plain; charset=utf-8' }
  const contents: Record<(typeof paths)[number], readonly [string | Uint8Array, Record<string, string>]> = {
    '/recorder': [renderRecorderPage(facts), htmlHeaders],
    '/recorder/install.sh': [writeInstallScript(facts), plain],
    '/recorder/install.ps1': [writePowershellScript(facts), plain],
    '/recorder/fairgate-recorder.cjs': [program, { 'content-type': 'text/javascript; charset=utf-8' }],
    '/recorder/fairgate-recorder.tgz': [packRecorder(program), { 'content-type': 'application/gzip' }],
  }
  return new Map(
    Object.entries(contents).map(([path, [content, headers]]) => {
      const body = Buffer.from(content)
      return [path, { body, etag: `"${digest(body)}"`, headers }]
    }),
  )
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The page with installation instructions for participants. */
function renderRecorderPage({ publicUrl, gatewayUrl, version, sha256 }: ScriptFacts): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>fairgate-recorder</title>
<link rel="stylesheet" href="docs/docs.css">
</head>
<body>
<header>
<h1>fairgate-recorder ${version}</h1>
<p>Records how your team works with AI tools (Claude Code, Cursor, Codex, Gemini CLI, Copilot CLI, Antigravity) and sends it to this
logbook with every push. It needs Node 18 or newer, or nothing if this logbook has a program for your platform.</p>
</header>
<nav aria-label="Contents"><strong><a href="#install">Install</a></strong><strong><a href="#use">Set up a repository</a></strong>
<strong><a href="docs">Logbook reference</a></strong></nav>
<main>
<h2 id="install">Install</h2>
<p>Linux and macOS; the script installs the program for your platform, or the script for Node if there is none
(<a href="recorder/programs.txt">list of programs</a>), and shows what it does (<a href="recorder/install.sh">read it first</a>):</p>
<pre><code>curl -fsSL ${publicUrl}/recorder/install.sh | sh</code></pre>
<p>Windows, in PowerShell (<a href="recorder/install.ps1">read it first</a>):</p>
<pre><code>irm ${publicUrl}/recorder/install.ps1 | iex</code></pre>
<p>Or with npm:</p>
<pre><code>npm install -g ${publicUrl}/recorder/fairgate-recorder.tgz</code></pre>
<p>Or as <a href="recorder/fairgate-recorder.cjs">one file</a>, SHA-256 <code>${sha256}</code>.</p>
<h2 id="use">Set up a repository</h2>
<p>If you have your team's link or code, <a href="${gatewayUrl}/join">join the team</a>: one command does all of this. Otherwise run these once in each
repository. They ask for your team's log token and gateway key:</p>
<pre><code>fairgate-recorder init --url ${publicUrl}
fairgate-recorder connect --gateway ${gatewayUrl}
fairgate-recorder doctor --test
fairgate-recorder status</code></pre>
<p><code>fairgate-recorder uninstall</code> removes everything again.</p>
</main>
</body>
</html>`
  return page.markup
}
