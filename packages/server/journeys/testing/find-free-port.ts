// Finds a port for a server if the test needs its address before the start, or cannot read it from the output.

/**
 * Below the range for outgoing connections and for port 0, so that between this check and the start of
 * the server nothing else gets it.
 */
export function findFreePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    try {
      void Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response() }).stop(true)
      return port
    } catch {
      // Taken: try another.
    }
  }
}
