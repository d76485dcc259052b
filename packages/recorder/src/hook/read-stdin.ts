// Reads what the tool sends, within limits: a tool that never closes the pipe must not block the hook.
//
// `fs.read` would start five milliseconds sooner (measured), but Node does not exit while its thread waits.
import { fstatSync, readFileSync } from 'node:fs'

export type StandardInput = {
  readonly text: string
  /** False when the pipe was still open when we gave up. */
  readonly isClosed: boolean
}

export type InputLimits = {
  /** How often (ms) we check whether the input is complete. If it is, we do not wait for the end of the pipe. */
  readonly lookMs: number
  /** We give up after this long (ms) without input. */
  readonly silentMs: number
  readonly isWhole: (text: string) => boolean
}

export async function readStandardInput(limits: InputLimits): Promise<StandardInput> {
  // A thread would read the file, and on a busy machine it may not have run before the time is over.
  if (isFile()) return { text: readFileSync(0, 'utf8'), isClosed: true }
  return await readPipe(limits)
}

function isFile(): boolean {
  try {
    return process.platform !== 'win32' && fstatSync(0).isFile()
  } catch {
    return false
  }
}

function readPipe({ lookMs, silentMs, isWhole }: InputLimits): Promise<StandardInput> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let timer: ReturnType<typeof setTimeout>
    const read = () => Buffer.concat(chunks).toString('utf8')
    const end = (isClosed: boolean) => {
      clearTimeout(timer)
      resolve({ text: read(), isClosed })
    }
    const wait = (silent: number) => {
      const seen = chunks.length
      const judge = () => {
        const silence = chunks.length === seen ? silent + lookMs : 0
        if (isWhole(read()) || silence >= silentMs) end(false)
        else wait(silence)
      }
      // On a busy machine the time may be over before the first look at the pipe, so we look once more before giving up.
      timer = setTimeout(() => setImmediate(judge), lookMs)
    }
    process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
    process.stdin.on('end', () => end(true))
    // Windows reports the end of a pipe as an error.
    process.stdin.on('error', () => end(true))
    wait(0)
  })
}
