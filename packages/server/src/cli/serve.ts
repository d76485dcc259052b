// The server as a process: what it prints, and what signals make it do.
import { writeSync } from 'node:fs'
import { type RunningServer, startServer, type Variables } from '../main.ts'

/** Runs the server until SIGTERM or SIGINT, then drains; a second one ends it at once. SIGHUP reads the catalog anew. */
export async function serve(variables: Variables): Promise<void> {
  let server: RunningServer
  try {
    server = await startServer(variables)
  } catch (error) {
    print(2, `fairgate: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
  let isStopping = false
  const stop = (signal: string) => {
    if (isStopping) process.exit(1)
    isStopping = true
    server.log.info({ signal }, 'Draining.')
    server.stop().then(
      isWhole => process.exit(isWhole ? 0 : 1),
      error => {
        print(2, `fairgate: ${Bun.inspect(error)}\n`)
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  process.on('SIGHUP', server.reload)
  // Whoever reads that it is ready may signal it at once.
  print(1, `${server.announcement}\n`)
  server.releaseNotices()
  return new Promise(() => undefined)
}

/** A full disk, or a reader that has gone, is no reason to end. */
function print(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text)
  } catch {
    // There is nobody to tell.
  }
}
