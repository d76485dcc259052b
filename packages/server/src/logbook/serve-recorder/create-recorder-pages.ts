// Serves the recorder to participants, without authentication: the program, a package for npm, install scripts and a page.
//
// The program is built from its sources when it is first asked for, and kept in memory: there is nothing to build before the start.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { licensePath, version } from '@fairgate/recorder/build-program.ts'
import { htmlHeaders, type OpenPage } from '../../http/open-pages.ts'
import { writeInstallScript, writePowershellScript } from './install-script.ts'
import { packTarball } from './pack-tarball.ts'
import { listPackageFiles } from './package-files.ts'
import { renderRecorderPage } from './recorder-page.ts'

export type RecorderPagesDependencies = {
  /** The configured address of the logbook: what a request says of itself is not believed. */
  readonly publicUrl: string
  readonly buildProgram: () => Promise<Uint8Array>
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
  // Its links are relative: with a slash at the end they would lead elsewhere.
  const withoutSlash = () => new Response(null, { status: 302, headers: { location: '../recorder' } })
  return { ...Object.fromEntries(paths.map(path => [path, serve(path)])), '/recorder/': withoutSlash }
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
  buildProgram,
}: RecorderPagesDependencies): Promise<Map<string, Page>> {
  const program = await buildProgram()
  const sha256 = digest(program)
  const facts = { publicUrl, version, sha256 }
  const license = readFileSync(licensePath, 'utf8')
  const plain = { 'content-type': 'text/plain; charset=utf-8' }
  const contents: Record<(typeof paths)[number], readonly [string | Uint8Array, Record<string, string>]> = {
    '/recorder': [renderRecorderPage(publicUrl, version, sha256), htmlHeaders],
    '/recorder/install.sh': [writeInstallScript(facts), plain],
    '/recorder/install.ps1': [writePowershellScript(facts), plain],
    '/recorder/fairgate-recorder.cjs': [program, { 'content-type': 'text/javascript; charset=utf-8' }],
    '/recorder/fairgate-recorder.tgz': [
      packTarball(listPackageFiles({ version, program, license })),
      { 'content-type': 'application/gzip' },
    ],
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
