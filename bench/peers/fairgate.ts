// Fairgate itself, on SQLite and with two processes on PostgreSQL.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runFairgate } from '../lib/run-fairgate.ts'
import { replyTokens } from '../lib/run-nginx.ts'
import { type Client, type Peer, requestJson } from './peer.ts'
import type { Place } from './place.ts'

const model = 'bench'
const dollarsPerMillion = 1
const budgetOf = (calls: number) => (calls * replyTokens.output * dollarsPerMillion) / 1_000_000

/** The upstream in OpenAI's dialect, as all peers have it, and a model at the price of the tests. */
function writeSettings({ folder, upstreamUrl }: Place): string {
  const price = { input: 0, cached_input: 0, output: dollarsPerMillion, reasoning: dollarsPerMillion }
  const models = {
    models: {
      [model]: {
        upstream: 'bench',
        upstream_id: 'gpt-4o-mini',
        context_limit: 128_000,
        max_output: 16_384,
        price,
      },
    },
  }
  writeFileSync(join(folder, 'models.yaml'), JSON.stringify(models))
  const path = join(folder, 'fairgate.yaml')
  const upstreams = { bench: { kind: 'openai', base_url: `${upstreamUrl}/v1` } }
  writeFileSync(path, JSON.stringify({ models_file: 'models.yaml', upstreams }))
  return path
}

const describeFairgate = (id: string, title: string, setup: string, usesPostgres: boolean): Peer => ({
  id,
  title,
  version: 'this checkout',
  setup,
  keys: 'of teams and people',
  budgets: 'dollars of a team, key or model',
  log: 'a row for each call, refused ones too',
  install: async () => {},
  start: async place => {
    const variables = {
      FAIRGATE_CONFIG: writeSettings(place),
      FAIRGATE_DATA_DIR: join(place.folder, 'data'),
      ...(usesPostgres ? { DATABASE_URL: place.postgres() } : {}),
    }
    const flags = usesPostgres ? ['--processes', '2'] : []
    const fairgate = await runFairgate(
      place.upstreamUrl,
      'bench-key',
      variables,
      undefined,
      flags,
      place.isFirstStart(),
    )
    place.adopt(fairgate.pid, fairgate.stop)
    const clientOf = (account: string, key: string): Client => ({
      account,
      url: `${fairgate.gatewayUrl}/v1/chat/completions`,
      model,
      headers: { Authorization: `Bearer ${key}` },
    })
    const read = <Reply>(path: string) =>
      requestJson<Reply>(`${fairgate.adminUrl}${path}`, { Authorization: `Bearer ${fairgate.adminKey}` })
    return {
      client: clientOf('bench', fairgate.key),
      capClient: async calls => {
        const limits = { max_budget: budgetOf(calls), max_parallel_requests: 1000 }
        return clientOf(`cap-${calls}`, await fairgate.createKey(`cap-${calls}`, limits))
      },
      countCharged: async account => {
        const { team_info } = await read<{ team_info: { spend: number } }>(`/team/info?team_id=${account}`)
        return Math.round(team_info.spend / budgetOf(1))
      },
      countOnRecord: async account => {
        const { items } = await read<{ items: readonly { outcome: string }[] }>(
          `/calls?team_id=${account}&limit=200`,
        )
        return items.filter(({ outcome }) => outcome === 'completed').length
      },
    }
  },
})

export const fairgateSqlite = describeFairgate('fairgate', 'Fairgate, SQLite', 'one process', false)
export const fairgatePostgres = describeFairgate(
  'fairgate-postgres',
  'Fairgate, PostgreSQL',
  'two processes on one PostgreSQL, `synchronous_commit` on',
  true,
)
