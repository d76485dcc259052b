// Opens the upstreams with what is reported of them, and with the reload that puts other models and keys in force.

import type { Sources } from '../catalog/read-sources.ts'
import { createReload, warnOfRetirement } from '../catalog/reload-catalog.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { World } from '../world/world.ts'
import { createUpstreams } from './create-upstreams.ts'
import { resolveHost } from './remote-media/find-public-address.ts'
import { createUpstreamReports } from './upstream-tries.ts'

/** `sandboxUrl`: of the sandbox that this process shares with others; null for one of its own where no vendor is configured. */
export async function openUpstreams(
  world: World,
  sources: Pick<Sources, 'upstreamKeys' | 'readKeys' | 'reloadable'>,
  directory: Directory,
  sandboxUrl: string | null,
) {
  const { config, metrics, clock, stopwatch, log, notices, onStop } = world
  const { upstreamKeys, readKeys, reloadable } = sources
  warnOfRetirement(reloadable.catalog, clock(), notices)
  const upstreams = await createUpstreams({
    ...world,
    sandboxUrl,
    upstreamKeys,
    resolve: resolveHost,
    observeUpstream: metrics.observeUpstream,
    reports: createUpstreamReports({ log, count: metrics.countTry, monotonicMs: stopwatch }),
  })
  onStop(upstreams.stop)
  metrics.watch({
    keys: () =>
      upstreams
        .describeHealth()
        .flatMap(({ upstream, keys }) =>
          keys.map(({ id, restMs }) => ({ upstream, key: id, isResting: restMs !== null })),
        ),
  })
  const reloadCatalog = createReload({
    ...world,
    reloadable,
    modelsFile: config.modelsFile,
    readKeys: () => {
      const keys = readKeys()
      return () => upstreams.useKeys(keys)
    },
    directory,
  })
  return { upstreams, reloadCatalog }
}
