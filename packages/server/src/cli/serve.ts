// The server as a process: what it prints, and what signals make it do.
import { writeSync } from 'node:fs'
import { type RunningServer, startServer, type Variables } from '../main.ts'

/** One Ctrl-C arrives twice, from the terminal and from the launcher; so does a SIGTERM to all processes of a service. */
const echoMs = 250

/**
 * Runs the server until SIGTERM or SIGINT, then drains; a second one ends it at once. SIGTERM announces the drain first: only a
 * service manager sends it, and only there a proxy looks. SIGHUP reads the catalog anew.
 */
export async function serve(variables: Variables): Promise<void> {
  let server: RunningServer
  try {
    server = await startServer(variables)
  } catch (error) {
    print(2, `fairgate: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
  let stoppingSince: number | null = null
  const stop = (signal: 'SIGTERM' | 'SIGINT') => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince < echoMs) return
      process.exit(1)
    }
    stoppingSince = performance.now()
    server.log.info({ signal }, 'Draining.')
    server.stop({ isAnnounced: signal === 'SIGTERM' }).then(
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
  print(1, `\n${server.announcement}\n`)
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
