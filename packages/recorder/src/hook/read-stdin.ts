// Reads what the tool sends, for a second at most: a tool that never closes the pipe must not keep the hook.
//
// `fs.read` would start five milliseconds sooner, but its waiting thread cannot be left behind: Node would not exit.

/** Everything up to the end of standard input, or null when it does not come in time. */
export function readStandardInput(longestMs: number): Promise<string | null> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    const limit = setTimeout(() => resolve(null), longestMs)
    const finish = () => {
      clearTimeout(limit)
      resolve(Buffer.concat(chunks).toString('utf8'))
    }
    process.stdin.on('data', (chunk: Buffer) => chunks.push(chunk))
    process.stdin.on('end', finish)
    // Windows reports the end of a pipe as an error.
    process.stdin.on('error', finish)
  })
}
