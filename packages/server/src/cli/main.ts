// The `fairgate` command: connects the program to the real environment, and sets the exit code of the process.
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { buildProgram, runProgram } from './build-program.ts'
import type { ProgramDependencies } from './dependencies.ts'
import { createFile } from './output/create-file.ts'

// Everything that the server and its tools write is private, regardless of the shell's umask and the folder's mode: otherwise SQLite makes its
// files with mode 0644.
process.umask(0o077)

const packageFile: { readonly version: string } = JSON.parse(
  await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
)

const isTerminal = process.stdout.isTTY === true

const dependencies: ProgramDependencies = {
  fetch: (address, init) => fetch(address, init),
  writeOutput: text => void process.stdout.write(text),
  writeBytes: createPipe(process.stdout),
  createFile,
  layout: {
    width: isTerminal ? process.stdout.columns : null,
    height: isTerminal ? process.stdout.rows : null,
    isColoured: isTerminal && !process.env.NO_COLOR && process.env.TERM !== 'dumb',
  },
  page: showInPager,
  isTerminal: { output: isTerminal, errors: process.stderr.isTTY === true },
  confirm: async question => {
    if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return null
    const reader = createInterface({ input: process.stdin, output: process.stderr })
    // Ctrl-D and Ctrl-C end the reader without an answer.
    const closed = new Promise<string>(resolve => reader.once('close', () => resolve('')))
    const answer = await Promise.race([reader.question(question), closed])
    reader.close()
    return /^y(?:es)?$/i.test(answer.trim())
  },
  wait: setTimeout,
  stopwatch: () => performance.now(),
  writeError: text => void process.stderr.write(text),
  variables: process.env,
  readTextFile: path => readFile(path, 'utf8'),
  readInput: () => readText(process.stdin),
  serve: async (variables, options) => {
    // Imported here only: the other commands start faster without the server.
    const { serve } = await import('./serve.ts')
    await serve(variables, options)
  },
  loadBackups: async () => {
    const { createBackups } = await import('../operate/backup/backups.ts')
    return createBackups(packageFile.version, () => new Date())
  },
  loadDoctor: () => import('../operate/readiness/run-doctor.ts'),
  version: packageFile.version,
}

// A reader such as `head` may have seen enough. Any other failure to write must be reported, because a new key is shown only once.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  process.exitCode = 1
  dependencies.writeError(`fairgate: the output could not be written (${error.code ?? error.message}).\n`)
})
process.stderr.on('error', () => undefined)

const exitCode = await runProgram(buildProgram(dependencies), process.argv.slice(2), dependencies.writeError)
if (exitCode !== 0) process.exitCode = exitCode

/** Uses PAGER, or less if it is installed; an empty PAGER turns paging off. False if nothing was shown. */
function showInPager(text: string): boolean {
  const pager = process.env.PAGER ?? (Bun.which('less') === null ? '' : 'less')
  if (pager === '') return false
  // Ctrl-C is for the pager, which would otherwise go on without this process.
  const ignore = () => undefined
  process.on('SIGINT', ignore)
  const { status, error } = spawnSync(pager, {
    shell: true,
    input: text,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', ...process.env },
  })
  process.off('SIGINT', ignore)
  // 127: the shell has no such program.
  return error === undefined && status !== 127
}

/** Writes as fast as the reader reads. Resolves with false once the reader is gone. */
function createPipe(stream: Writable): (bytes: Uint8Array) => Promise<boolean> {
  let isGone = false
  stream.on('error', () => {
    isGone = true
  })
  return bytes =>
    new Promise(resolve => {
      if (isGone) resolve(false)
      else stream.write(bytes, error => resolve(!isGone && (error === null || error === undefined)))
    })
}
