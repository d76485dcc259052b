// `npm run rehearse -- --help`: runs the command with its real dependencies and sets the exit code.
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { runCommand } from '../../server/src/cli/command-failure.ts'
import { noteRun } from '../../server/src/operate/readiness/last-runs.ts'
import { runRehearsal } from './load/run-rehearsal.ts'
import { onInterrupt } from './on-interrupt.ts'
import { buildRehearseCommand, type RehearseDependencies } from './rehearse-command.ts'
import { startOwnServer } from './start-own-server.ts'

// Keeps the temporary data private under any shell umask.
process.umask(0o077)

const world = {
  fetch,
  stopwatch: () => performance.now(),
  clock: Date.now,
  random: Math.random,
  wait: (milliseconds: number, signal: AbortSignal) =>
    setTimeout(milliseconds, undefined, { signal }).catch(() => undefined),
}
const dependencies: RehearseDependencies = {
  fetch: (address, init) => fetch(address, init),
  writeOutput: text => void process.stdout.write(text),
  writeError: text => void process.stderr.write(text),
  variables: process.env,
  readTextFile: path => readFile(path, 'utf8'),
  startServer: (variables, place) => startOwnServer(variables, place ?? tmpdir()),
  run: request => runRehearsal({ ...request, name: `rehearsal-${Date.now().toString(36)}` }, world),
  noteRun: () => noteRun(process.env.FAIRGATE_DATA_DIR ?? 'data', 'rehearsal', new Date()),
  onInterrupt,
}
process.exitCode = await runCommand(
  buildRehearseCommand(dependencies),
  process.argv.slice(2),
  dependencies.writeError,
)
