// Reads what the tool sends, within limits: a tool that never closes the pipe must not keep the hook.
//
// `fs.read` would start five milliseconds sooner, but its waiting thread cannot be left behind: Node would not exit.

export type StandardInput = {
  readonly text: string
  /** False when the pipe was still open at the end of our patience; what came may be whole all the same. */
  readonly isClosed: boolean
}

/** `firstMs`: how long the first byte may take; `nextMs`: how long it may be silent then. */
export function readStandardInput(limits: {
  readonly firstMs: number
  readonly nextMs: number
}): Promise<StandardInput> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let timer: ReturnType<typeof setTimeout>
    const end = (isClosed: boolean) => {
      clearTimeout(timer)
      resolve({ text: Buffer.concat(chunks).toString('utf8'), isClosed })
    }
    /** On a busy machine the time is over before the pipe was looked at once: it is looked at before that counts. */
    const wait = () => {
      const seen = chunks.length
      timer = setTimeout(
        () => setImmediate(() => (chunks.length === seen ? end(false) : wait())),
        seen === 0 ? limits.firstMs : limits.nextMs,
      )
    }
    process.stdin.on('data', (chunk: Buffer) => {
      if (chunks.length === 0) {
        clearTimeout(timer)
        chunks.push(chunk)
        wait()
      } else chunks.push(chunk)
    })
    process.stdin.on('end', () => end(true))
    // Windows reports the end of a pipe as an error.
    process.stdin.on('error', () => end(true))
    wait()
  })
}
