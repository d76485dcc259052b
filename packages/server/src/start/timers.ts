// Timers as functions that return their own stop, for the parts that are given their clock.

/** Runs a function every so many milliseconds. */
export function every(milliseconds: number, run: () => void): () => void {
  const timer = setInterval(run, milliseconds)
  return () => clearInterval(timer)
}

/** Runs a function once, after so many milliseconds. */
export function after(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds)
  return () => clearTimeout(timer)
}
