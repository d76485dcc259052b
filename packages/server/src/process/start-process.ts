// Starts one of multiple processes as a child: its messages, its output line by line, and its end.
import type { FromParent } from './protocol.ts'

export type RunningProcess = {
  readonly pid: number
  /** Does nothing once the process has ended. */
  readonly send: (message: FromParent) => void
  readonly kill: (signal: NodeJS.Signals) => void
  /** The exit code, or 128 plus the signal number; resolves when its output is written too. */
  readonly ended: Promise<number>
}

/** `onMessage` gets every message of the process. */
export type StartProcess = (onMessage: (message: unknown) => void) => RunningProcess

export type StartProcessDependencies = {
  readonly command: readonly string[]
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly writeOutput: WriteBytes
  readonly writeError: WriteBytes
}

/** Grandchildren may hold its output open. */
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
          // It has ended or is ending; `ended` reports that.
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

/** Resolves when the bytes are written, or when that has failed. */
export type WriteBytes = (bytes: Uint8Array) => Promise<unknown>

/** Max part of a line held back until the line ends. */
const longestPart = 1024 * 1024
const newline = 10

/**
 * Resolves at the end of `output`. Reads nothing before the last chunk is written: a process with a slow reader then keeps or drops its lines
 * itself, as it does without a parent.
 */
export async function relayLines(output: AsyncIterable<Uint8Array>, write: WriteBytes): Promise<void> {
  let part = new Uint8Array()
  for await (const bytes of output) {
    const end = bytes.lastIndexOf(newline) + 1
    if (end > 0) {
      await write(part.byteLength === 0 ? bytes.subarray(0, end) : join(part, bytes.subarray(0, end)))
      part = bytes.slice(end)
    } else part = join(part, bytes)
    if (part.byteLength > longestPart) {
      await write(join(part, new Uint8Array([newline])))
      part = new Uint8Array()
    }
  }
  if (part.byteLength > 0) await write(join(part, new Uint8Array([newline])))
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.byteLength + second.byteLength)
  joined.set(first)
  joined.set(second, first.byteLength)
  return joined
}
