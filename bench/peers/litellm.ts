// LiteLLM's proxy, with PostgreSQL (keys, budgets, spend logs) and without.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replyTokens } from '../lib/run-nginx.ts'
import { installOnce, installPython, runCommand } from './install.ts'
import { type Client, type Peer, type RunningPeer, requestJson } from './peer.ts'
import type { Place } from './place.ts'
import { versions } from './versions.ts'

const masterKey = 'sk-bench-master'
/** A power of two, so that a sum of charges is exact in floating point. */
const dollarsPerToken = 2 ** -20
const chargeOfCall = replyTokens.output * dollarsPerToken

async function startProxy(place: Place, variables: Readonly<Record<string, string>>): Promise<Client> {
  const url = `http://127.0.0.1:${place.port}`
  const settings = {
    model_list: [
      {
        model_name: 'bench',
        litellm_params: {
          model: 'openai/gpt-4o-mini',
          api_base: `${place.upstreamUrl}/v1`,
          api_key: 'bench-key',
          input_cost_per_token: 0,
          output_cost_per_token: dollarsPerToken,
        },
      },
    ],
    general_settings: { master_key: masterKey },
  }
  const path = join(place.folder, 'litellm.yaml')
  writeFileSync(path, JSON.stringify(settings))
  const flags = ['--config', path, '--host', '127.0.0.1', '--port', String(place.port), '--num_workers', '2']
  // Its workers are killed if they do not answer five seconds after their start, which takes longer on a small machine.
  const command = [join(place.installed, 'bin/litellm'), ...flags, '--timeout_worker_healthcheck', '120']
  await place.run(command, `${url}/health/readiness`, {
    LITELLM_MODE: 'PRODUCTION',
    LITELLM_LOG: 'ERROR',
    // Otherwise it fetches prices from the internet at each start.
    LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    ...variables,
  })
  return {
    account: 'load',
    url: `${url}/v1/chat/completions`,
    model: 'bench',
    headers: { Authorization: `Bearer ${masterKey}` },
  }
}

const setup = 'two workers, `LITELLM_MODE=PRODUCTION`, `LITELLM_LOG=ERROR`'
const common = { version: versions.litellm[0], folder: 'litellm' }

export const litellm: Peer = {
  ...common,
  id: 'litellm',
  title: 'LiteLLM, no database',
  setup,
  keys: 'one master key; others need the database',
  budgets: 'of keys and teams: need the database',
  log: 'needs the database',
  install: folder => installPython(folder, versions.litellm),
  start: async place => ({ client: await startProxy(place, {}) }),
}

export const litellmPostgres: Peer = {
  ...common,
  id: 'litellm-postgres',
  title: 'LiteLLM, PostgreSQL',
  setup,
  keys: 'of keys and teams',
  budgets: 'dollars of keys and teams',
  log: 'spend logs',
  install: async folder => {
    await installPython(folder, versions.litellm)
    const variables = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
    const schema =
      "import litellm.proxy, pathlib; print(pathlib.Path(litellm.proxy.__file__).parent / 'schema.prisma')"
    await installOnce(join(folder, 'prisma'), 'the query engine of Prisma', async () => {
      const path = (await runCommand(['bin/python', '-c', schema], folder)).trim()
      // It is in no package registry: this fetches it from binaries.prisma.sh.
      await runCommand(['bin/prisma', 'generate', '--schema', path], folder, variables)
    })
  },
  start: async (place): Promise<RunningPeer> => {
    const client = await startProxy(place, { DATABASE_URL: place.postgres() })
    const url = `http://127.0.0.1:${place.port}`
    const createClient = async (account: string, budget: number): Promise<Client> => {
      const key = `sk-${account}`
      await requestJson(`${url}/key/generate`, client.headers, { key, max_budget: budget })
      return { ...client, account, headers: { Authorization: `Bearer ${key}` } }
    }
    return {
      client: place.isFirstStart() ? await createClient('load', 1_000_000) : client,
      capClient: calls => createClient(`cap-${calls}`, calls * chargeOfCall),
      countCharged: async account => {
        const path = `${url}/key/info?key=sk-${account}`
        const { info } = await requestJson<{ info: { spend: number } }>(path, client.headers)
        return info.spend / chargeOfCall
      },
      countOnRecord: async account => {
        const path = `${url}/spend/logs?api_key=sk-${account}`
        return (await requestJson<readonly object[]>(path, client.headers)).length
      },
    }
  },
}
