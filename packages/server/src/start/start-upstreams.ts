// Starts the upstreams with what is told of them, and with the reload that puts other models and keys in force.

import { createReload } from '../catalog/create-reload.ts'
import type { ReloadCatalog } from '../catalog/reload-catalog.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { Log } from '../http/log.ts'
import type { Metrics } from '../http/metrics.ts'
import { createUpstreams, type Upstreams } from '../upstream/create-upstreams.ts'
import { resolveHost } from '../upstream/remote-media/find-public-address.ts'
import { createUpstreamReports } from '../upstream/upstream-tries.ts'
import type { ServerTime } from '../world/server-time.ts'
import type { Sources } from './read-sources.ts'
import type { Membership } from './running-server.ts'

export type UpstreamsParts = {
  readonly sources: Pick<Sources, 'config' | 'upstreamKeys' | 'readKeys' | 'reloadable'>
  readonly secrets: Secrets
  readonly membership: Membership | null
  readonly directory: Directory
  readonly time: ServerTime
  readonly metrics: Pick<Metrics, 'observeUpstream' | 'countTry' | 'watchKeys'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

export async function startUpstreams(
  parts: UpstreamsParts,
): Promise<{ readonly upstreams: Upstreams; readonly reloadCatalog: ReloadCatalog }> {
  const { sources, secrets, membership, directory, time, metrics, log } = parts
  const { config, upstreamKeys, readKeys, reloadable } = sources
  const { clock, stopwatch } = time
  const upstreams = await createUpstreams({
    config,
    sandboxUrl: membership?.sandboxUrl ?? null,
    secrets,
    upstreamKeys,
    resolve: resolveHost,
    observeUpstream: metrics.observeUpstream,
    clock,
    reports: createUpstreamReports({ log, count: metrics.countTry, monotonicMs: stopwatch }),
  })
  const reloadCatalog = createReload({
    reloadable,
    modelsFile: config.modelsFile,
    readKeys: () => {
      const keys = readKeys()
      return () => upstreams.useKeys(keys)
    },
    directory,
    clock,
    log,
  })
  metrics.watchKeys(() =>
    upstreams
      .describeHealth()
      .flatMap(({ upstream, keys }) =>
        keys.map(({ id, restMs }) => ({ upstream, key: id, isResting: restMs !== null })),
      ),
  )
  return { upstreams, reloadCatalog }
}
