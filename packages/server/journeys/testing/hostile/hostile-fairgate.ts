// A Fairgate with hostile upstreams in its own process, to measure its memory and exit.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type HostileVendor, startHostileVendor } from '@fairgate/sandbox/hostile/start-hostile-vendor.ts'
import { createManagement, type Management } from '../management.ts'
import { type SpawnedFairgate, spawnFairgate } from '../spawn-fairgate.ts'
import { adminKey, createSurroundings, type Surroundings, upstreamKey } from '../start-fairgate.ts'
import { createUpstreamGate, type UpstreamGate } from '../upstream-gate.ts'
import { otherModels } from './endpoints.ts'

export type HostileFairgate = {
  readonly vendor: HostileVendor
  readonly holdUpstream: UpstreamGate['hold']
  readonly place: Surroundings
  readonly server: SpawnedFairgate
  readonly manage: Management
  readonly figures: () => Promise<Figures>
  /** Resolves once no call is running, or when the test's patience is over. */
  readonly idleFigures: () => Promise<Figures>
  /** Ends the server regularly; returns its exit code. */
  readonly stop: () => Promise<number>
}

export type Figures = { readonly holds: number; readonly slots: number; readonly residentMegabytes: number }

const shipped = resolve(import.meta.dir, '../../../../../config/models.yaml')

/** The shipped catalog and the models of the other upstreams; without service-wide windows, which the table would fill. */
export function writeHostileCatalog(): string {
  return readFileSync(shipped, 'utf8')
    .replaceAll(/^ +rpm_limit: .*\n/gm, '')
    .replace(/^models:\n/m, `models:${otherModels}`)
}

export const writeHostileSettings = (vendorUrl: string, settings: string): string => `
upstreams:
  other: { kind: openai, base_url: '${vendorUrl}/openai/v1', api_key_env: OTHER_KEY }
  claude: { kind: anthropic, base_url: '${vendorUrl}/anthropic', api_key_env: OTHER_KEY }
${settings}`

export async function startHostileFairgate(settings: string): Promise<HostileFairgate> {
  const gate = createUpstreamGate()
  const vendor = await startHostileVendor({ port: 0, keys: [upstreamKey], wait: gate.wait })
  const place = await createSurroundings({
    models: writeHostileCatalog(),
    settings: writeHostileSettings(vendor.url, settings),
    variables: { VENDOR_BASE_URL: vendor.url, OTHER_KEY: upstreamKey },
  })
  const server = await spawnFairgate({ variables: place.variables })
  return {
    vendor,
    holdUpstream: gate.hold,
    place,
    server,
    manage: createManagement(server.adminUrl, adminKey),
    figures: () => readFigures(server.adminUrl),
    idleFigures: () => waitUntilIdle(server.adminUrl, 10_000),
    stop: async () => {
      server.kill('SIGTERM')
      const code = await server.exited
      await vendor.stop()
      await place.remove()
      return code
    },
  }
}

export async function readFigures(adminUrl: string): Promise<Figures> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  return {
    holds: read('fairgate_holds'),
    slots: read('fairgate_running_slots'),
    residentMegabytes: Math.round(read('fairgate_resident_memory_bytes') / 2 ** 20),
  }
}

/** Resolves as soon as no call is running, or with the running calls when the time is over. */
export async function waitUntilIdle(adminUrl: string, longestMs: number): Promise<Figures> {
  const until = performance.now() + longestMs
  for (;;) {
    const figures = await readFigures(adminUrl)
    if ((figures.holds === 0 && figures.slots === 0) || performance.now() > until) return figures
    await Bun.sleep(50)
  }
}
