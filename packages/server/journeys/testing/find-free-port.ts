// A port for a server whose addresses a test must know before it starts, or cannot read from its output.

/**
 * Below those that the system gives to outgoing connections and to whoever asks for port 0: between this look and the start of
 * the server nobody else is given it.
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
