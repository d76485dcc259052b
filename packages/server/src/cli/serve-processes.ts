// Runs the parent of multiple servers: its output and its signals. It has no doors and no database.
import { isatty } from 'node:tty'
import { startSharedSandbox } from '../process/plan-processes.ts'
import { type Patience, ProcessGroup, usualPatience } from '../process/process-group.ts'
import { createStartProcess, type WriteBytes } from '../process/start-process.ts'
import { adviseKernel, isEcho, print } from './server-process.ts'

export type ServeProcessesOptions = {
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly count: number
  /** Program and arguments of a process; by default this program. Both are read from the disk at each start, so a replacement has new code. */
  readonly command?: readonly string[]
  readonly patience?: Patience
}

/**
 * Serves until SIGTERM or SIGINT; a second signal ends the processes at once. SIGUSR2 replaces them one by one, SIGHUP makes them read the
 * catalog again. Exits with the worst exit code of the processes at the end. Rejects if the settings are wrong.
 */
export async function serveProcesses({
  variables,
  count,
  command = [process.execPath, process.argv[1] ?? '', 'serve', '--member'],
  patience = usualPatience,
}: ServeProcessesOptions): Promise<never> {
  const sandbox = startSharedSandbox(variables)
  const group = new ProcessGroup({
    count,
    startProcess: createStartProcess({
      command,
      variables,
      writeOutput: createWrite(process.stdout),
      writeError: createWrite(process.stderr),
    }),
    begin: { isTerminal: isatty(1), sandboxUrl: sandbox?.url ?? null },
    report: text => print(2, `fairgate: ${text}\n`),
    patience,
    now: () => performance.now(),
  })
  let stoppingSince: number | null = null
  const stop = (signal: 'SIGTERM' | 'SIGINT') => {
    const now = performance.now()
    if (stoppingSince !== null && isEcho(now - stoppingSince)) return
    stoppingSince = now
    group.stop(signal)
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  process.on('SIGHUP', () => group.reload())
  process.on('SIGUSR2', () => {
    print(2, adviseKernel())
    void group.replaceAll()
  })
  // The launcher has died: no one could signal this process.
  process.on('disconnect', () => stop('SIGINT'))
  // SIGUSR2 is for this process from now on (scripts/hand-over.mjs).
  process.send?.({ fairgate: 'replaces itself' })
  const announcement = await group.start()
  if (announcement !== null) print(1, `${announcement}\n${count} processes serve these addresses.\n`)
  const code = await group.ended
  await sandbox?.stop()
  process.exit(code)
}

/** Waits for a slow reader, but not for one that has left. */
function createWrite(stream: NodeJS.WriteStream): WriteBytes {
  return bytes => new Promise(resolve => stream.write(bytes, resolve))
}
