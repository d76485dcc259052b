// The server as a process: what it prints, and what signals make it do.
import { readFileSync, writeSync } from 'node:fs'
import { type RunningServer, startServer, type Variables } from '../main.ts'

/** Under the launcher one Ctrl-C arrives twice, from the terminal and from the launcher. A SIGTERM to all processes of a service does too. */
const echoMs = process.send === undefined ? 0 : 250

export type ServeOptions = {
  /** Starts beside the process that is to be replaced, and goes on when it has ended. */
  readonly takeOver: boolean
}

/**
 * Runs the server until SIGTERM or SIGINT, then drains; a second signal ends it at once. SIGTERM announces the drain first, because it
 * comes from a service manager, behind which a proxy may look at the health pages. SIGUSR2 is for a process whose successor waits beside
 * it; like SIGINT, it announces nothing. SIGHUP reads the catalog again.
 */
export async function serve(variables: Variables, { takeOver }: ServeOptions): Promise<void> {
  let server: RunningServer
  try {
    server = await startServer(variables, takeOver ? { reportWaiting } : {})
  } catch (error) {
    print(2, `fairgate: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
  let stoppingSince: number | null = null
  let isReplaced = false
  const stop = (signal: 'SIGTERM' | 'SIGINT' | 'SIGUSR2') => {
    const now = performance.now()
    if (stoppingSince !== null) {
      if (now - stoppingSince < echoMs) return
      if (!isReplaced) process.exit(1)
      // This process was only making room for a successor. The signal ends it like any first one: its calls go on.
      isReplaced = false
      stoppingSince = now
      return
    }
    stoppingSince = now
    isReplaced = signal === 'SIGUSR2'
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
  process.on('SIGUSR2', () => stop('SIGUSR2'))
  process.on('SIGHUP', server.reload)
  // The signals come first: whoever reads that the server is ready may signal it at once.
  print(1, `${server.announcement}\n`)
  server.releaseNotices()
  // The start leaves 25 to 30 MB behind: schemas being compiled, pages being built. Nothing else gives them back.
  Bun.shrink()
  return new Promise(() => undefined)
}

/** Tells the reader, and the launcher, which then stops the other process (scripts/hand-over.mjs). */
function reportWaiting(): void {
  print(
    1,
    `\nWaiting for the process that has the database. Requests are kept until it has ended.\n${adviseKernel()}`,
  )
  process.send?.({ fairgate: 'waiting' })
}

/** Without this setting the kernel resets connections that the other process has not accepted yet when it stops listening. */
function adviseKernel(): string {
  try {
    if (readFileSync('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').trim() === '1') return ''
  } catch {
    // A kernel before 5.14, or not Linux.
  }
  return 'Set net.ipv4.tcp_migrate_req to 1 (sysctl), or connections that arrive in the very moment of the change may be reset.\n'
}

/** A full disk or a reader that has gone must not end the server. */
function print(descriptor: 1 | 2, text: string): void {
  try {
    writeSync(descriptor, text)
  } catch {
    // There is nobody to tell.
  }
}
