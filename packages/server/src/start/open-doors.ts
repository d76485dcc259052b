// Opens the doors and the address of the metrics, and knows where they are.
import type { Config } from '../config/config.ts'
import type { DoorName } from '../config/listener-settings.ts'
import { type Door, listen, type RunningDoors } from '../process/listen.ts'
import { type MetricsPages, serveMetrics } from '../process/serve-metrics.ts'
import type { DoorUrls } from './describe-start.ts'
import type { Place } from './open-place.ts'
import type { RunningServer } from './running-server.ts'

export type OpenedDoors = {
  readonly open: RunningDoors
  readonly urls: DoorUrls
  readonly ports: RunningServer['ports']
  readonly stopMetrics: () => Promise<void>
}

/** Throws an Error that names the setting when an address is taken. */
export function openDoors(
  config: Config,
  doors: Readonly<Record<DoorName, Door>>,
  { waitingDoors, sharing }: Pick<Place, 'waitingDoors' | 'sharing'>,
  pages: Omit<MetricsPages, 'sharing'>,
): OpenedDoors {
  const open = waitingDoors === null ? listen(config, doors, sharing ?? {}) : waitingDoors.open(doors)
  const metrics = config.metrics === null ? null : serveMetrics(config.metrics, { ...pages, sharing })
  const listeners = { ...open, ...(metrics === null ? {} : { metrics }) }
  return {
    open,
    urls: {
      gatewayUrl: open.gateway?.url ?? '',
      logbookUrl: open.logbook?.url ?? '',
      adminUrl: open.admin?.url ?? '',
      metricsUrl: metrics?.url ?? '',
    },
    ports: Object.fromEntries(Object.entries(listeners).map(([name, { port }]) => [name, port])),
    stopMetrics: async () => {
      await metrics?.stop()
    },
  }
}
