// Stops the processes that the benchmark started, also on interruption.

type Stop = () => void | Promise<void>

const stops = new Set<Stop>()

/** `stop` runs if the program ends before the returned function is called. */
export function onStop(stop: Stop): () => void {
  stops.add(stop)
  return () => stops.delete(stop)
}

export async function stopAll(): Promise<void> {
  for (const stop of [...stops].reverse()) {
    stops.delete(stop)
    try {
      await stop()
    } catch (error) {
      console.error(`bench: ${error instanceof Error ? error.message : error}`)
    }
  }
}
