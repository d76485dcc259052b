// hardcap: token budgets per tenant, kept in Redis.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replyTokens } from '../lib/run-nginx.ts'
import { installPython, requireDebian } from './install.ts'
import { type Client, cappedCalls, type Peer, requestJson } from './peer.ts'
import { versions } from './versions.ts'

/** Ten years: no test crosses the end of a window. */
const windowSeconds = 10 * 365 * 86_400
/** More than a load can spend. */
const muchTokens = 1_000_000_000_000

export const hardcap: Peer = {
  id: 'hardcap',
  title: 'hardcap',
  version: versions.hardcap[0],
  setup: 'two workers, a budget in each call, Redis with its default settings',
  keys: 'of tenants, in its file',
  budgets: 'tokens of a tenant in a window',
  log: 'none: sums for Prometheus',
  install: folder => {
    requireDebian('redis-server', 'redis-server')
    return installPython(folder, versions.hardcap)
  },
  start: async place => {
    const url = `http://127.0.0.1:${place.port}`
    const tenant = (account: string, budget: object) => ({
      [account]: { api_keys: [`key-${account}`], budget: { window_s: windowSeconds, ...budget } },
    })
    const settings = {
      listen: { host: '127.0.0.1', port: place.port },
      redis_url: `${await place.redis()}/0`,
      // hardcap itself adds `/v1/chat/completions`.
      upstreams: { bench: { kind: 'openai', base_url: place.upstreamUrl } },
      routes: { bench: { targets: [{ upstream: 'bench', model: 'gpt-4o-mini' }] } },
      // Its file lists the tenants, so the test tenants exist from the start.
      tenants: {
        ...tenant('load', { total: muchTokens }),
        ...Object.assign(
          {},
          ...cappedCalls.map(calls => tenant(`cap-${calls}`, { output: calls * replyTokens.output })),
        ),
      },
    }
    const path = join(place.folder, 'hardcap.yaml')
    writeFileSync(path, JSON.stringify(settings))
    const command = [join(place.installed, 'bin/hardcap'), 'serve', '-c', path, '--workers', '2']
    await place.run(command, `${url}/healthz`)
    const clientOf = (account: string): Client => ({
      account,
      url: `${url}/v1/chat/completions`,
      model: 'bench',
      headers: { Authorization: `Bearer key-${account}` },
    })
    return {
      client: clientOf('load'),
      capClient: async calls => clientOf(`cap-${calls}`),
      countCharged: async account => {
        const { headers } = clientOf(account)
        const { used } = await requestJson<{ used: { output: number } }>(`${url}/v1/hardcap/usage`, headers)
        return used.output / replyTokens.output
      },
    }
  },
}
