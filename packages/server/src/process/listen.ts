// Opens the listeners and knows the addresses of the doors.
import { readFileSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import type { DoorName } from '../config/listener-settings.ts'

type Answer = (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>

export type Door = {
  readonly fetch: Answer
  /** Answers a method that HTTP does not know. */
  readonly refuseMethod: Answer
  /** Replaces a reply that could not be started. */
  readonly answerUnsent: (cause: Error) => Response
}

export type RunningDoor = {
  readonly url: string
  /** Address shown to clients. */
  readonly publicUrl: string
  readonly port: number
  readonly server: Bun.Server<undefined>
}
/** The doors opened by the settings. */
export type RunningDoors = Readonly<Partial<Record<DoorName, RunningDoor>>>

/**
 * Throws an Error that names the port's setting if an address is taken. `isBesideOthers`: listens alongside the processes that already have
 * the addresses; the kernel distributes new connections between them.
 */
export function listen(
  config: Config,
  doors: Readonly<Record<DoorName, Door>>,
  { isBesideOthers = false }: { readonly isBesideOthers?: boolean } = {},
): RunningDoors {
  const opened: RunningDoor[] = []
  const { limits, files } = config.settings
  const wall = discardedBytes(Math.max(limits.max_body_mebibytes, files.max_file_mebibytes))
  const open = (name: DoorName): RunningDoor => {
    const address = config.doors[name]
    const { tls } = address
    try {
      const server = Bun.serve({
        hostname: address.host,
        port: address.port,
        ...(tls === null ? {} : { tls: { cert: tls.cert, key: tls.key } }),
        reusePort: isBesideOthers || canBeShared(address.port),
        // The doors answer 413 themselves after discarding the body; this is only the last line of defence.
        maxRequestBodySize: wall,
        ...answerEveryMethod(doors[name]),
        error: cause => doors[name].answerUnsent(cause),
      })
      const running = {
        url:
          address.port === 0
            ? `${tls === null ? 'http' : 'https'}://${address.host}:${server.port}`
            : address.publicUrl,
        // A free port is only known now.
        publicUrl: address.publicUrl.replace(/:0$/, `:${server.port}`),
        port: server.port ?? address.port,
        server,
      }
      opened.push(running)
      return running
    } catch (cause) {
      for (const { server } of opened) void server.stop(true)
      throw new Error(
        `Cannot listen on ${address.host}:${address.port}. Is another program using it? Set FAIRGATE_${name.toUpperCase()}_PORT to a free port.`,
        { cause },
      )
    }
  }
  return Object.fromEntries(config.openDoors.map(name => [name, open(name)]))
}

/**
 * True if another process may later listen alongside this one, which only works on Linux. If another program already listens on the port,
 * sharing would hide a mistake; without sharing, the kernel reports that the address is taken.
 */
export function canBeShared(port: number): boolean {
  if (process.platform !== 'linux') return false
  if (port === 0) return true
  try {
    return !['tcp', 'tcp6'].some(name => hasListener(readFileSync(`/proc/self/net/${name}`, 'utf8'), port))
  } catch {
    return false
  }
}

/** True if a kernel table shows a listener on this port, at any address. */
function hasListener(table: string, port: number): boolean {
  const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0')
  // Number, local address, remote address, state: 0A means listening.
  return new RegExp(`^ *\\d+: [0-9A-F]+:${hexadecimal} [0-9A-F]+:0000 0A `, 'm').test(table)
}

/** The largest body that gets a proper error: twice the largest accepted body, but at least 64 MiB. */
export function discardedBytes(maxBodyMebibytes: number): number {
  return Math.max(64, 2 * maxBodyMebibytes) * 1024 * 1024
}

/**
 * Without routes, Bun drops the connection of a request with an unknown method (`FOO`, `get`). The first of these routes makes such a request
 * arrive in `fetch` as if it were a GET. The others catch the true GETs before that, except those with an empty first segment.
 */
function answerEveryMethod({ fetch, refuseMethod }: Door) {
  return {
    routes: { '/*': false, '/': { GET: fetch }, '/:first': { GET: fetch }, '/:first/*': { GET: fetch } },
    fetch: (request: Request, self: Bun.Server<undefined>) =>
      request.method === 'GET' && !hasEmptySegment(request.url)
        ? refuseMethod(request, self)
        : fetch(request, self),
  } as const
}

function hasEmptySegment(url: string): boolean {
  return url.startsWith('//', url.indexOf('/', url.indexOf('//') + 2))
}

export class DoorAddresses {
  readonly #configured: Config['doors']
  #open: RunningDoors = {}

  constructor(configured: Config['doors']) {
    this.#configured = configured
  }

  /** From now on these doors are open. */
  use(open: RunningDoors): void {
    this.#open = open
  }

  /** Addresses as clients use them, without a trailing slash. */
  readonly ofClients = (): { readonly gateway: string; readonly logbook: string } => ({
    gateway: this.#publicUrl('gateway'),
    logbook: this.#publicUrl('logbook'),
  })

  readonly ofAdmin = (): string => this.#publicUrl('admin')

  /** Null if this process does not open the gateway. */
  readonly ofOpenGateway = (): string | null => this.#open.gateway?.publicUrl ?? null

  readonly listPorts = () =>
    Object.entries(this.#open).map(([name, { port }]) => ({
      name,
      host: this.#configured[name as DoorName].host,
      port,
    }))

  #publicUrl(name: DoorName): string {
    return this.#open[name]?.publicUrl ?? this.#configured[name].publicUrl
  }
}
