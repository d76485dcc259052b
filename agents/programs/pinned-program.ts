// Installs one pinned version of an agent from npm, once, in a folder that git ignores.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type PinnedProgram = {
  /** The name in the output. */
  readonly title: string
  readonly npmName: string
  readonly version: string
}

const cache = join(import.meta.dir, '..', '.cache')
const longestInstallMs = 240_000
/** A registry that cannot be reached is noticed within a minute, and npm says so even under `npm run --silent`. */
const options = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--fetch-retries=1',
  '--fetch-timeout=30000',
  '--loglevel=error',
]

/** Returns the folder with its `node_modules`. Install scripts do not run. Engine warnings of npm are ignored. */
export async function installProgram({ npmName, version }: PinnedProgram): Promise<string> {
  const folder = join(cache, `${npmName.replace(/^@|\//g, '-').replace(/^-/, '')}-${version}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  writeFileSync(join(unfinished, 'package.json'), '{"private":true}\n')
  const child = Bun.spawn(['npm', 'install', ...options, `${npmName}@${version}`], {
    cwd: unfinished,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: longestInstallMs,
  })
  const [code, errors] = await Promise.all([child.exited, new Response(child.stderr).text()])
  if (code !== 0) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new Error(`npm could not install ${npmName}@${version}: ${errors.trim().slice(-500)}`)
  }
  renameSync(unfinished, folder)
  return folder
}

/** Whether npm failed because it could not reach the registry. */
export function isRegistryFault(text: string): boolean {
  return /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH)\b/.test(
    text,
  )
}
