// Catalog commands: the list with its prices, and the output of a reload.
import { expect, test } from 'bun:test'
import { refusal, runCli } from '../testing/run-cli.ts'

const model = {
  id: 'flash',
  aliases: [],
  modality: 'chat',
  upstream: 'vendor',
  upstream_id: 'up-flash',
  fallbacks: [],
  context_limit: 1000,
  max_output: 100,
  default_output_cap: 100,
  typical_output: 100,
  reasoning: 'none',
  image_tokens: {},
  image_sizes: {},
  prompt_overhead: 0,
  voices: null,
  formats: [],
  retires_on: '2027-01-01',
  rpm_limit: 105,
  tpm_limit: null,
  price: { input: 0.3, input_audio: 1, input_video: 0.3, output: 2.5, reasoning: 2.5 },
  price_above: { 200000: { input: 0.6, output: 5 } },
}

test('catalog list shows each model with the prices that differ', async () => {
  const { stdout, requests } = await runCli(['catalog', 'list'], [{ models: [model] }])
  expect(requests).toMatchObject([{ method: 'GET', address: 'http://127.0.0.1:4002/catalog' }])
  expect(stdout).toMatch(
    /flash +chat +up-flash +105 +- +2027-01-01 +input 0\.3, input_audio 1, output 2\.5; above 200000 tokens: input 0\.6, output 5\n/,
  )
  const json = await runCli(['catalog', 'list', '--json'], [{ models: [model] }])
  expect(JSON.parse(json.stdout)).toEqual({ items: [model], next: null })
})

const reload = {
  models: 3,
  added: ['new'],
  removed: ['old'],
  changed: ['flash'],
  before: { old: model, flash: { rpm_limit: 105 } },
  after: { new: model, flash: { rpm_limit: null } },
  warnings: [
    { team_id: 'team-01', key: null, member: 'models', models: ['old'] },
    { team_id: 'team-01', key: 'ab'.repeat(32), member: 'aliases', models: ['old'] },
  ],
}

test('catalog reload shows new, removed and changed models, and teams and keys that name removed ones', async () => {
  const { stdout, requests } = await runCli(['catalog', 'reload'], [reload])
  expect(requests).toMatchObject([{ method: 'POST', address: 'http://127.0.0.1:4002/catalog/reload' }])
  expect(stdout.split('\n')).toEqual([
    'Reloaded the catalog: 3 models.',
    'new: new',
    'removed: old',
    'changed: flash: rpm_limit 105 → null',
    'warning: models of the team team-01 names unknown models: old',
    'warning: aliases of the key abababababababab of team-01 names unknown models: old',
    '',
  ])
})

test('a reload without changes, and one that is refused', async () => {
  const nothing = { ...reload, added: [], removed: [], changed: [], before: {}, after: {}, warnings: [] }
  expect((await runCli(['catalog', 'reload'], [nothing])).stdout).toContain('No changes.')
  const message = 'models.yaml: models.flash.price.input is missing.'
  const refused = await runCli(['catalog', 'reload'], [refusal(400, 'invalid_request', message, null)])
  expect([refused.exitCode, refused.stderr.includes(message)]).toEqual([1, true])
})
