// Portkey's gateway: routing, retries and guardrails. Keys and budgets are part of the hosted product.
import { join } from 'node:path'
import { installNode } from './install.ts'
import type { Peer } from './peer.ts'
import { versions } from './versions.ts'

/** It listens on all addresses and has no setting for that. This code, loaded first, limits its listener to loopback. */
const onLoopback = `data:text/javascript,${encodeURIComponent(
  `import net from 'node:net'
   const listen = net.Server.prototype.listen
   net.Server.prototype.listen = function (port, ...rest) {
     return listen.call(this, port, '127.0.0.1', ...rest.filter(value => typeof value === 'function'))
   }`,
)}`

export const portkey: Peer = {
  id: 'portkey',
  title: 'Portkey',
  version: versions.portkey,
  setup: '`NODE_ENV=production`, `--headless`',
  keys: "none: the client's key goes to the provider",
  budgets: 'none in the open gateway',
  log: 'none in the open gateway',
  install: folder => installNode(folder, versions.portkey),
  start: async place => {
    const url = `http://127.0.0.1:${place.port}`
    const program = join(place.installed, 'node_modules/@portkey-ai/gateway/build/start-server.js')
    await place.run(['node', '--import', onLoopback, program, '--headless', `--port=${place.port}`], url, {
      NODE_ENV: 'production',
    })
    const headers = {
      Authorization: 'Bearer bench-key',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${place.upstreamUrl}/v1`,
    }
    return {
      client: { account: '', url: `${url}/v1/chat/completions`, model: 'gpt-4o-mini', headers },
    }
  },
}
