// Runs the server as a process: its output, its signals, and messages from its parent.
import type { Variables } from '../config/read-config.ts'
import { ParentLink } from '../process/parent-link.ts'
import { fixPorts, type ProcessesSetting, planProcesses, requireTakeOver } from '../process/plan-processes.ts'
import type { RunningServer, StopManner } from '../process/running-server.ts'
import { adviseKernel, isEcho, print } from './server-process.ts'

export type ServeOptions = {
  /** Starts next to the process that it replaces. */
  readonly takeOver: boolean
  /** From the command line; null if not given. */
  readonly processes: ProcessesSetting | null
  /** Serves as one of multiple processes, for the parent that has started it. */
  readonly isMember: boolean
}

export async function serve(variables: Variables, options: ServeOptions): Promise<void> {
  try {
    if (options.isMember) return await serveAsMember(variables)
    const count = planProcesses(variables, options.processes)
    if (count === 1) return await serveAlone(variables, options)
    if (options.takeOver) throw new Error('--take-over is for a single process.')
    const { serveProcesses } = await import('./serve-processes.ts')
    return await serveProcesses({ variables, count })
  } catch (error) {
    print(2, `fairgate: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

async function serveAlone(variables: Variables, { takeOver }: ServeOptions): Promise<void> {
  if (takeOver) requireTakeOver(variables, process.send !== undefined)
  const { startServer } = await import('../main.ts')
  let hasWaited = false
  const noteWaiting = () => {
    hasWaited = true
    reportWaiting()
  }
  const server = await startServer(variables, takeOver ? { reportWaiting: noteWaiting } : {})
  const { stop } = heed(server, () => undefined)
  process.on('message', message => {
    if (isLeave(message)) stop('leave')
  })
  // Signals come first: a reader of "ready" may signal the server at once.
  print(1, `${server.announcement}\n`)
  if (takeOver && !hasWaited) reportServing()
  return await goOn(server)
}

async function serveAsMember(variables: Variables): Promise<void> {
  if (process.send === undefined)
    throw new Error('--member is for the processes that `fairgate serve --processes` starts.')
  const link = new ParentLink({
    send: message => process.send?.(message),
    onMessage: listen => process.on('message', listen),
  })
  const { ports, ...place } = await link.begin
  const { startServer } = await import('../main.ts')
  const server = await startServer(fixPorts(variables, ports), {
    membership: { ...place, scrape: () => link.scrape() },
  })
  const { stop } = heed(server, () => link.sendLastFigures(server.readFigures()))
  const { announcement, longestStopMs } = server
  link.reportReady(
    { announcement, ports: server.ports, longestStopMs },
    { leave: () => stop('leave'), readFigures: server.readFigures },
  )
  return await goOn(server)
}

function goOn(server: RunningServer): Promise<void> {
  server.releaseNotices()
  void server.preparePages()
  // The start leaves 25 to 30 MB behind: schemas being compiled, pages being built. Only this frees them.
  Bun.shrink()
  return new Promise(() => undefined)
}

type StopReason = 'SIGTERM' | 'SIGINT' | 'SIGUSR2' | 'leave' | 'parent gone'

const manners: Readonly<Record<StopReason, StopManner>> = {
  // Set by a service manager; a proxy in front may poll the health pages.
  SIGTERM: 'announced',
  SIGINT: 'at once',
  SIGUSR2: 'at once',
  leave: 'replaced',
  'parent gone': 'at once',
}

/**
 * Drains at SIGTERM or SIGINT; a second signal ends the process at once. SIGUSR2 is for a process with a successor that waits next to it,
 * `leave` for one with a successor that already serves. A server without its launcher or parent ends too, because it could no longer be
 * signalled. SIGHUP reads the catalog again. `beforeExit` runs when everything is written.
 */
function heed(
  server: RunningServer,
  beforeExit: () => void,
): { readonly stop: (reason: StopReason) => void } {
  let stoppingSince: number | null = null
  let isReplaced = false
  const stop = (reason: StopReason) => {
    const now = performance.now()
    if (stoppingSince !== null) {
      if (isEcho(now - stoppingSince) || reason === 'parent gone') return
      if (!isReplaced) process.exit(1)
      // This process was only making room for a successor. The signal ends it like any first one: its calls continue.
      isReplaced = false
      stoppingSince = now
      return
    }
    stoppingSince = now
    isReplaced = reason === 'SIGUSR2' || reason === 'leave'
    server.log.info({ signal: reason }, 'Draining.')
    server.stop(manners[reason]).then(
      isWhole => {
        beforeExit()
        process.exit(isWhole ? 0 : 1)
      },
      error => {
        print(2, `fairgate: ${Bun.inspect(error)}\n`)
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGUSR2'] as const) process.on(signal, () => stop(signal))
  process.on('SIGHUP', server.reload)
  if (process.send !== undefined) process.on('disconnect', () => stop('parent gone'))
  return { stop }
}

/** Message from the launcher to a server when its successor is serving (scripts/hand-over.mjs). */
function isLeave(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'fairgate' in message && message.fairgate === 'leave'
  )
}

/** Notifies the launcher, which then asks the other process to leave. */
function reportServing(): void {
  print(2, adviseKernel())
  process.send?.({ fairgate: 'serving' })
}

/** Reports to the reader and to the launcher, which then stops the other process. */
function reportWaiting(): void {
  print(
    1,
    `\nWaiting for the process that has the database. Requests are kept until it has ended.\n${adviseKernel()}`,
  )
  process.send?.({ fairgate: 'waiting' })
}
