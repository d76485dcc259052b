// Lets a program clean up at Ctrl-C.

/** Shorter than the time a person needs to press Ctrl-C again. */
const sameKeyMs = 200

/** Calls `run` at the first Ctrl-C; the second one ends the process. Returns a function that removes the handler. */
export function onInterrupt(run: () => void): () => void {
  let firstAt: number | null = null
  const onSignal = () => {
    // npm and npx forward the signal that the terminal has already sent, so one Ctrl-C arrives up to three times.
    if (firstAt !== null && performance.now() - firstAt > sameKeyMs) process.exit(130)
    if (firstAt === null) run()
    firstAt ??= performance.now()
  }
  process.on('SIGINT', onSignal)
  return () => void process.off('SIGINT', onSignal)
}
