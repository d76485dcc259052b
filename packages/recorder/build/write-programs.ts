// Builds and compresses the stand-alone programs that need no download, in a given folder. It is a separate process because the build takes
// several seconds. It prints what it built as JSON, and exits when its parent process does.
import { createHash } from 'node:crypto'
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { buildExecutable, findOwnTarget, findRuntimes, platformOf, type Runtime } from './executables.ts'

const folder = process.argv[2] ?? ''
process.stdin.on('data', () => undefined)
process.stdin.on('end', () => process.exit(1))
// Requests that are served meanwhile have priority.
setPriority(10)
mkdirSync(folder, { recursive: true })
const scratch = mkdtempSync(join(folder, 'building-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

async function build({ target, path }: Runtime) {
  const program = await buildExecutable(target, scratch, path)
  const name = `fairgate-recorder-${platformOf(target)}.gz`
  const digest = createHash('sha256')
  const read = createReadStream(program, { highWaterMark: 1024 * 1024 })
  read.on('data', chunk => digest.update(chunk))
  // A higher level takes three times as long and saves 7 % (measured).
  await pipeline(read, createGzip({ level: 1 }), createWriteStream(`${program}.gz`))
  renameSync(`${program}.gz`, join(folder, name))
  const bytes = statSync(program).size
  return { platform: platformOf(target), name, bytes, sha256: digest.digest('hex') }
}

const built: Awaited<ReturnType<typeof build>>[] = []
const own = { target: findOwnTarget(process.platform, process.arch), path: process.execPath }
for (const runtime of findRuntimes(own, Bun.version, process.env)) {
  // One damaged runtime must not stop the others from being built.
  const program = await build(runtime).catch((thrown: unknown) => {
    console.error(`${runtime.target}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    return null
  })
  if (program !== null) built.push(program)
}
process.stdout.write(JSON.stringify(built))
process.exit(0)
