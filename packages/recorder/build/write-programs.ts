// Builds the stand-alone programs that can be built here without a download, compressed, into the folder that is given: a process of its own, as
// it takes some seconds. It prints what it has built as JSON, and ends when whoever started it does.
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
// Whoever is served meanwhile goes first.
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
  // More would take three times as long for 7 % less.
  await pipeline(read, createGzip({ level: 1 }), createWriteStream(`${program}.gz`))
  renameSync(`${program}.gz`, join(folder, name))
  const bytes = statSync(program).size
  return { platform: platformOf(target), name, bytes, sha256: digest.digest('hex') }
}

const built: Awaited<ReturnType<typeof build>>[] = []
const own = { target: findOwnTarget(process.platform, process.arch), path: process.execPath }
for (const runtime of findRuntimes(own, Bun.version, process.env)) {
  // A runtime that is damaged must not keep the others away.
  const program = await build(runtime).catch((thrown: unknown) => {
    console.error(`${runtime.target}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    return null
  })
  if (program !== null) built.push(program)
}
process.stdout.write(JSON.stringify(built))
process.exit(0)
