// Starts one process of several as a child: its messages, its output line by line, and its end.
import type { FromParent } from './protocol.ts'
import { relayLines, type WriteBytes } from './relay-lines.ts'

export type RunningProcess = {
  readonly pid: number
  /** Nothing happens when the process has ended. */
  readonly send: (message: FromParent) => void
  readonly kill: (signal: NodeJS.Signals) => void
  /** The exit code, or 128 and the number of the signal; resolves when its output is written too. */
  readonly ended: Promise<number>
}

/** `onMessage` gets whatever the process sends. */
export type StartProcess = (onMessage: (message: unknown) => void) => RunningProcess

export type StartProcessDependencies = {
  readonly command: readonly string[]
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly writeOutput: WriteBytes
  readonly writeError: WriteBytes
}

/** What a child of the process leaves behind may hold its output open. */
const lastOutputMs = 1000

export function createStartProcess(dependencies: StartProcessDependencies): StartProcess {
  const { command, variables, writeOutput, writeError } = dependencies
  return onMessage => {
    const child = Bun.spawn([...command], {
      env: { ...variables },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      serialization: 'json',
      ipc: onMessage,
    })
    const output = Promise.all([relayLines(child.stdout, writeOutput), relayLines(child.stderr, writeError)])
    return {
      pid: child.pid,
      send: message => {
        try {
          child.send(message)
        } catch {
          // It has ended, or is ending: `ended` tells.
        }
      },
      kill: signal => child.kill(signal),
      ended: child.exited.then(async code => {
        await Promise.race([output, Bun.sleep(lastOutputMs)])
        return code
      }),
    }
  }
}
