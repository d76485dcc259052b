// An installation with upstreams of two kinds in one catalog: the shipped models, and Claude models in the sandbox's Anthropic format.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SurroundingsOptions } from './start-fairgate.ts'
import { upstreamKey } from './start-fairgate.ts'

const shipped = resolve(import.meta.dir, '../../../../config/models.yaml')

const claudeModel = (name: string, upstreamId: string, reasoning: string) => `
  ${name}:
    upstream: claude
    upstream_id: ${upstreamId}
    reasoning: ${reasoning}
    context_limit: 1000000
    max_output: 32000
    typical_output: 100
    price:
      input: 3.00
      cached_input: 0.30
      cache_write_5m: 3.75
      cache_write_1h: 6.00
      output: 15.00
      reasoning: 15.00
      above:
        200000: { input: 6.00, cached_input: 0.60, cache_write_5m: 7.50, cache_write_1h: 12.00, output: 22.50, reasoning: 22.50 }
`

/** Lines for a catalog; they need an upstream `claude` of the kind anthropic. */
export const claudeModels = [
  claudeModel('claude-opus', 'claude-opus-5-5', 'level'),
  claudeModel('claude-sonnet', 'claude-sonnet-4-6', 'budget'),
].join('')

export const twoKinds: SurroundingsOptions = {
  models: readFileSync(shipped, 'utf8').replace(/^models:\n/m, `models:${claudeModels}`),
  settings: ({ url }) =>
    `upstreams:\n  claude: { kind: anthropic, base_url: '${url}/anthropic', api_key_env: CLAUDE_KEY }`,
  variables: { CLAUDE_KEY: upstreamKey },
}
