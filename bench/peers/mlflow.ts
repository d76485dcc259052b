// MLflow's AI gateway: endpoints with budgets; it reads their spending from traces. Budget sums are in Redis, everything else in PostgreSQL.
import { join } from 'node:path'
import { replyTokens } from '../lib/run-nginx.ts'
import { installPython, requireDebian } from './install.ts'
import { type Client, cappedCalls, type Peer, requestJson } from './peer.ts'
import { versions } from './versions.ts'

const model = 'gpt-4o-mini'
/** Max delay until a worker learns of another worker's budgets. Ten minutes by default. */
const refreshSeconds = 2

/** It knows this model's prices and accepts no others. */
const dollarsPerMillion = { input: 0.15, output: 0.6 }
const chargeOfCall =
  (replyTokens.input * dollarsPerMillion.input + replyTokens.output * dollarsPerMillion.output) / 1_000_000

/** Half a call less: its sums are in floating point, and the last call of a budget may pass what is left. */
const budgetOf = (calls: number) => (calls - 0.5) * chargeOfCall

type Policy = { readonly budget_policy_id: string; readonly target_value: string }
type Window = { readonly budget_policy_id: string; readonly current_spend: number }

export const mlflow: Peer = {
  id: 'mlflow',
  title: 'MLflow AI gateway',
  version: versions.mlflow[0],
  setup: 'two workers, PostgreSQL, budgets in Redis, usage tracking on, users off',
  keys: 'off: users with passwords, by another server program',
  budgets: 'dollars of an endpoint or user in a window',
  log: 'a trace for each call',
  install: folder => {
    requireDebian('redis-server', 'redis-server')
    return installPython(folder, versions.mlflow)
  },
  start: async place => {
    const url = `http://127.0.0.1:${place.port}`
    const database = place.postgres().replace('postgres://', 'postgresql+psycopg2://')
    const variables = {
      MLFLOW_GATEWAY_BUDGET_REDIS_URL: `${await place.redis()}/0`,
      MLFLOW_GATEWAY_API_BASE_ALLOW_PRIVATE_IPS: 'true',
      MLFLOW_GATEWAY_API_BASE_ALLOWED_SCHEMES: 'http',
      MLFLOW_GATEWAY_BUDGET_REFRESH_INTERVAL: String(refreshSeconds),
      MLFLOW_CRYPTO_KEK_PASSPHRASE: 'passphrase of the bench',
      MLFLOW_DISABLE_TELEMETRY: 'true',
    }
    // Its workers are killed if they are silent for five seconds, as they can be on a small machine that is busy.
    const patience = ['--uvicorn-opts', '--timeout-worker-healthcheck 120 --log-level warning']
    const flags = [...patience, '--host', '127.0.0.1', '--port', String(place.port), '--workers', '2']
    const storage = [
      '--backend-store-uri',
      database,
      '--no-serve-artifacts',
      '--default-artifact-root',
      place.folder,
    ]
    const command = [join(place.installed, 'bin/mlflow'), 'server', ...storage, ...flags]
    const api = `${url}/api/3.0/mlflow/gateway`
    await place.run(command, `${url}/health`, variables)
    if (place.isFirstStart()) {
      const secret = await requestJson<{ secret: { secret_id: string } }>(
        `${api}/secrets/create`,
        {},
        {
          secret_name: 'bench',
          secret_value: { api_key: 'bench-key' },
          provider: 'openai',
          auth_config: { api_base: `${place.upstreamUrl}/v1` },
        },
      )
      const definition = await requestJson<{ model_definition: { model_definition_id: string } }>(
        `${api}/model-definitions/create`,
        {},
        { name: 'bench', secret_id: secret.secret.secret_id, provider: 'openai', model_name: model },
      )
      const create = async (account: string, budget: number) => {
        const { endpoint } = await requestJson<{ endpoint: { endpoint_id: string } }>(
          `${api}/endpoints/create`,
          {},
          {
            name: account,
            usage_tracking: true,
            model_configs: [
              {
                model_definition_id: definition.model_definition.model_definition_id,
                linkage_type: 'PRIMARY',
                weight: 1,
              },
            ],
          },
        )
        await requestJson(
          `${api}/budgets/create`,
          {},
          {
            budget_unit: 'USD',
            budget_amount: budget,
            duration: { unit: 'MONTHS', value: 1 },
            target_scope: 'ENDPOINT',
            target_value: endpoint.endpoint_id,
            budget_action: 'REJECT',
          },
        )
      }
      await create('load', 1_000_000)
      for (const calls of cappedCalls) await create(`cap-${calls}`, budgetOf(calls))
      // Each worker reads budgets again at the first call after that.
      await Bun.sleep(refreshSeconds * 1000)
    }
    const clientOf = (account: string): Client => ({
      account,
      url: `${url}/gateway/mlflow/v1/chat/completions`,
      model: account,
      headers: {},
    })
    const findEndpoint = async (account: string) =>
      (
        await requestJson<{ endpoint: { endpoint_id: string; experiment_id: string } }>(
          `${api}/endpoints/get?name=${account}`,
          {},
        )
      ).endpoint
    return {
      client: clientOf('load'),
      capClient: async calls => clientOf(`cap-${calls}`),
      countCharged: async account => {
        const { endpoint_id } = await findEndpoint(account)
        const { budget_policies } = await requestJson<{ budget_policies: readonly Policy[] }>(
          `${api}/budgets/list`,
          {},
        )
        const policy = budget_policies.find(({ target_value }) => target_value === endpoint_id)
        const { windows } = await requestJson<{ windows: readonly Window[] }>(`${api}/budgets/windows`, {})
        const window = windows.find(({ budget_policy_id }) => budget_policy_id === policy?.budget_policy_id)
        return Math.round((window?.current_spend ?? 0) / chargeOfCall)
      },
      countOnRecord: async account => {
        const { experiment_id } = await findEndpoint(account)
        const { traces = [] } = await requestJson<{ traces?: readonly object[] }>(
          `${url}/api/3.0/mlflow/traces/search`,
          {},
          {
            locations: [{ type: 'MLFLOW_EXPERIMENT', mlflow_experiment: { experiment_id } }],
            max_results: 500,
          },
        )
        return traces.length
      },
    }
  },
}
