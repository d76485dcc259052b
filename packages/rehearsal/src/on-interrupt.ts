// Lets a program end in its own way at Ctrl-C.

/** A person who presses Ctrl-C again takes longer. */
const sameKeyMs = 200

/** Calls `run` at the first Ctrl-C; the second one ends the process. Returns what takes it back. */
export function onInterrupt(run: () => void): () => void {
  let firstAt: number | null = null
  const onSignal = () => {
    // npm and npx pass on what the terminal has sent already: one Ctrl-C arrives up to three times.
    if (firstAt !== null && performance.now() - firstAt > sameKeyMs) process.exit(130)
    if (firstAt === null) run()
    firstAt ??= performance.now()
  }
  process.on('SIGINT', onSignal)
  return () => void process.off('SIGINT', onSignal)
}
