// Programs that govern less than a gateway, or not at all: nginx, the two small relays of `npm run bench:cpu`, and noveum.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runPlainProxy } from '../lib/run-nginx.ts'
import { installCrate } from './install.ts'
import type { Client, Peer } from './peer.ts'
import type { Place } from './place.ts'
import { versions } from './versions.ts'

const nothingToInstall = async () => {}
const clientOf = (url: string, headers: Client['headers'] = {}): Client => ({
  account: '',
  url,
  model: 'gpt-4o-mini',
  headers,
})

export const nginx: Peer = {
  id: 'nginx',
  title: 'nginx',
  version: 'Debian',
  setup: '`proxy_pass`, one worker, connections to the upstream kept',
  keys: 'none',
  budgets: 'none',
  log: 'none',
  install: nothingToInstall,
  start: async place => {
    const { url, pid, stop } = await runPlainProxy(place.folder, { url: place.upstreamUrl })
    place.adopt(pid, stop)
    return { client: clientOf(`${url}/v1/chat/completions`) }
  },
}

async function startRelay(place: Place, name: string) {
  const key = 'bench-key'
  const url = `http://127.0.0.1:${place.port}`
  const file = fileURLToPath(new URL(`../lib/${name}.ts`, import.meta.url))
  const command = [process.execPath, file, String(place.port), place.upstreamUrl, place.folder, key]
  await place.run(command, url, { BUN_CONFIG_MAX_HTTP_REQUESTS: '65535' })
  return { client: clientOf(url, { Authorization: `Bearer ${key}` }) }
}

export const bare: Peer = {
  id: 'bare',
  title: 'bare',
  version: '`bench/lib/bare.ts`',
  setup: 'parses, fetches and answers; translates into the dialect of the vendor',
  keys: 'none',
  budgets: 'none',
  log: 'none',
  install: nothingToInstall,
  start: place => startRelay(place, 'bare'),
}

export const lean: Peer = {
  id: 'lean',
  title: 'lean',
  version: '`bench/lib/lean.ts`',
  setup: 'the duties of a gateway written flat, for one team; translates into the dialect of the vendor',
  keys: 'one key',
  budgets: 'one, fixed in its code',
  log: 'a charge on disk for each call, without a way to read it',
  install: nothingToInstall,
  start: place => startRelay(place, 'lean'),
}

export const noveum: Peer = {
  id: 'noveum',
  title: 'Noveum AI Gateway',
  version: versions.noveum,
  setup: '`RUST_LOG=warn`, no policies',
  keys: "none: the client's key goes to the provider",
  budgets: "need Noveum's hosted platform",
  log: 'none',
  install: folder => installCrate(folder, versions.noveum),
  start: async place => {
    const url = `http://127.0.0.1:${place.port}`
    await place.run([join(place.installed, 'bin/noveum-ai-gateway')], `${url}/health`, {
      HOST: '127.0.0.1',
      PORT: String(place.port),
      RUST_LOG: 'warn',
      OPENAI_BASE_URL: place.upstreamUrl,
    })
    const headers = { Authorization: 'Bearer bench-key', 'x-provider': 'openai' }
    return { client: clientOf(`${url}/v1/chat/completions`, headers) }
  },
}
