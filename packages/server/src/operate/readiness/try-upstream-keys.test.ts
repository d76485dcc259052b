// One small call with each key, over both kinds of upstream: which keys are accepted, which are not, and the max cost.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from '@fairgate/sandbox/start-sandbox.ts'
import { buildConfig } from '../../config/config.ts'
import { buildModel } from '../../limits/testing/build-parties.ts'
import { priceTrials, type TrialParts, tryUpstreamKeys } from './try-upstream-keys.ts'

const [good, bad] = ['sandbox-key-number-1111', 'sandbox-key-number-2222']
const folder = mkdtempSync(join(tmpdir(), 'fairgate-trial-'))
let sandbox: Sandbox
let parts: TrialParts
beforeAll(() => {
  sandbox = startSandbox({ port: 0, keys: [good] })
  const path = join(folder, 'fairgate.yaml')
  writeFileSync(
    path,
    `upstreams:
  own: { kind: openai, base_url: '${sandbox.url}/openai/v1', api_key_env: OWN_KEY }
  absent: { kind: openai, base_url: 'http://127.0.0.1:9/v1' }
  empty: { kind: openai, base_url: 'http://127.0.0.1:9/v1' }
`,
  )
  parts = {
    config: buildConfig({
      FAIRGATE_CONFIG: path,
      VENDOR_API_KEY: good,
      VENDOR_BASE_URL: sandbox.url,
    }),
    keys: new Map([
      ['vendor', [good, bad]],
      ['own', [good, bad]],
      ['absent', null],
      ['empty', null],
    ]),
    models: [
      buildModel({ id: 'dear', upstreamId: 'dear', price: rates(9000) }),
      buildModel({ id: 'cheap', upstreamId: 'gemini-2.5-flash', price: rates(1000) }),
      buildModel({ id: 'own-model', upstream: 'own', upstreamId: 'gpt-sandbox', price: rates(2000) }),
      buildModel({ id: 'absent-model', upstream: 'absent', price: rates(0) }),
    ],
    clock: Date.now,
  }
})
afterAll(async () => {
  await sandbox.stop()
  rmSync(folder, { recursive: true })
})

/** Nano-dollars for a million tokens of either kind. */
const rates = (rate: number) => ({
  tiers: [{ aboveInputTokens: 0, rates: { inputText: rate * 1e6, outputText: rate * 1e6 } }] as const,
})

test('each key is tried once, with the cheapest chat model', async () => {
  const before = sandbox.counters().calls
  expect(await tryUpstreamKeys(parts)).toMatchObject([
    { upstream: 'vendor', key: '…1111', model: 'cheap', failure: null },
    { upstream: 'vendor', key: '…2222', model: 'cheap', failure: { keyFault: 'refused' } },
    { upstream: 'own', key: '…1111', model: 'own-model', failure: null },
    { upstream: 'own', key: '…2222', model: 'own-model', failure: { keyFault: 'refused' } },
    { upstream: 'absent', key: null, model: 'absent-model', failure: { keyFault: null } },
    { upstream: 'empty', key: null, model: null, failure: null },
  ])
  expect(sandbox.counters().calls - before).toBe(2)
})

test('the cost is known beforehand; an unreadable one counts as nothing', () => {
  // 7 bytes, 16 tokens around a message, 16 tokens of output.
  const each = 7 + 16 + 16
  const { models, keys } = parts
  expect(priceTrials({ keys: () => keys, models: () => models })).toEqual({
    calls: 5,
    costNano: 2 * each * 1000 + 2 * each * 2000,
  })
  const unreadable = () => {
    throw new Error('The file holds no key.')
  }
  expect(priceTrials({ keys: unreadable, models: () => models })).toEqual({ calls: 0, costNano: 0 })
})
