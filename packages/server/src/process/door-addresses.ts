// Knows at which addresses the doors are reached: as configured until they are open, then as they are.
import type { Config } from '../config/config.ts'
import type { DoorName } from '../config/listener-settings.ts'
import type { RunningDoors } from './listen.ts'

export class DoorAddresses {
  readonly #configured: Config['doors']
  #open: RunningDoors = {}

  constructor(configured: Config['doors']) {
    this.#configured = configured
  }

  /** From here on these doors are open. */
  use(open: RunningDoors): void {
    this.#open = open
  }

  /** As clients use them, without a slash at the end. */
  readonly ofClients = (): { readonly gateway: string; readonly logbook: string } => ({
    gateway: this.#publicUrl('gateway'),
    logbook: this.#publicUrl('logbook'),
  })

  readonly ofAdmin = (): string => this.#publicUrl('admin')

  /** Null where this process does not open the gateway. */
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
