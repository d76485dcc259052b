// Reads what the tool sends, within limits: a tool that never closes the pipe must not keep the hook.
//
// `fs.read` would start five milliseconds sooner, but its waiting thread cannot be left behind: Node would not exit.
import { fstatSync, readFileSync } from 'node:fs'

export type StandardInput = {
  readonly text: string
  /** False when the pipe was still open at the end of our patience. */
  readonly isClosed: boolean
}

export type InputLimits = {
  /** Every so many ms it is asked whether what came is whole: then nobody waits for the end of the pipe. */
  readonly lookMs: number
  /** Given up after so many ms in which nothing came. */
  readonly silentMs: number
  readonly isWhole: (text: string) => boolean
}

export async function readStandardInput(limits: InputLimits): Promise<StandardInput> {
  // Its reader would be a thread, which on a busy machine may not have run when the time is over.
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
      // On a busy machine the time is over before the pipe was looked at once: it is looked at before that counts.
      timer = setTimeout(() => setImmediate(judge), lookMs)
    }
    process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
    process.stdin.on('end', () => end(true))
    // Windows reports the end of a pipe as an error.
    process.stdin.on('error', () => end(true))
    wait(0)
  })
}
