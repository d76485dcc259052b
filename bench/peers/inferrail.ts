// inferrail: dollar budgets per job, kept in SQLite.
import { Database } from 'bun:sqlite'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { replyTokens } from '../lib/run-nginx.ts'
import { installPython } from './install.ts'
import type { Client, Peer } from './peer.ts'
import { versions } from './versions.ts'

/** Its sums are exact decimals, so a dollar per million output tokens works. Input cannot be free; this price rounds to nothing. */
const dollarsPerMillion = { input: 0.000001, output: 1 }
const budgetOf = (calls: number) =>
  ((calls * replyTokens.output * dollarsPerMillion.output) / 1_000_000).toFixed(6)

/** It adds up a job's receipts at each of its calls, so a load with one job would measure that. */
const jobsOfTheLoad = 2000

export const inferrail: Peer = {
  id: 'inferrail',
  title: 'inferrail',
  version: versions.inferrail[0],
  setup: `a budget of its own for each of ${jobsOfTheLoad} jobs that take turns, receipts in SQLite; it has one process`,
  keys: 'one secret for all',
  budgets: 'dollars of a job, declared by its calls',
  log: 'a receipt for each call',
  install: folder => installPython(folder, versions.inferrail),
  start: async place => {
    const url = `http://127.0.0.1:${place.port}`
    const receipts = join(place.folder, 'receipts.db')
    const model = 'gpt-4o-mini'
    const settings = {
      providers: {
        bench: {
          type: 'openai_compatible',
          api_key_env: 'BENCH_UPSTREAM_KEY',
          base_url: `${place.upstreamUrl}/v1`,
        },
      },
      routes: { bench: { provider: 'bench', model } },
      telemetry: { sink: 'none' },
      receipts: { sink: 'sqlite', path: receipts },
      budgets: { enabled: true, path: join(place.folder, 'budgets.db') },
      pricing: {
        bench: {
          [model]: {
            input_usd_per_million: dollarsPerMillion.input.toFixed(6),
            output_usd_per_million: String(dollarsPerMillion.output),
            source: 'bench',
            verified_date: '2026-11-27',
          },
        },
      },
    }
    const path = join(place.folder, 'inferrail.yaml')
    writeFileSync(path, JSON.stringify(settings))
    await place.run(
      [
        join(place.installed, 'bin/inferrail'),
        'serve',
        ...['--config', path, '--host', '127.0.0.1', '--port', String(place.port), '--no-telemetry'],
      ],
      `${url}/health`,
      { BENCH_UPSTREAM_KEY: 'bench-key', INFERRAIL_GATEWAY_TOKEN: 'bench-token' },
    )
    const clientOf = (account: string, jobs: string | readonly string[], budget: string): Client => ({
      account,
      url: `${url}/v1/chat/completions`,
      model: 'bench',
      headers: {
        Authorization: 'Bearer bench-token',
        'X-Inferrail-Attribute-Work-Id': jobs,
        'X-Inferrail-Budget-Usd': budget,
      },
    })
    const read = (job: string, column: string) => {
      const database = new Database(receipts, { readonly: true })
      try {
        const text = `select ${column} as value from receipts where work_id = ? and status = 'success'`
        return database.query<{ value: number }, [string]>(text).get(job)?.value ?? 0
      } finally {
        database.close()
      }
    }
    const jobs = Array.from({ length: jobsOfTheLoad }, (_, job) => `job-${job}`)
    return {
      client: clientOf('load', jobs, '1000'),
      capClient: async calls => clientOf(`cap-${calls}`, `cap-${calls}`, budgetOf(calls)),
      countCharged: async account =>
        Math.round(read(account, 'sum(estimated_cost_usd)') / Number(budgetOf(1))),
      countOnRecord: async account => read(account, 'count(*)'),
    }
  },
}
