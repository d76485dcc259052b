// The further upstreams of the settings file: the parsed result, and that every fault stops the start with the setting's name.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildConfig } from './config.ts'
import { resolveTimeouts } from './upstream-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'fairgate-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** YAML accepts JSON. */
function build(settings: object) {
  const path = join(folder, 'fairgate.yaml')
  writeFileSync(path, JSON.stringify(settings))
  return buildConfig({ FAIRGATE_CONFIG: path })
}

const local = { kind: 'openai', base_url: 'http://127.0.0.1:11434/v1/' }

const anthropic = { kind: 'anthropic', base_url: 'https://api.anthropic.com' }

test('an upstream needs a kind and an address', () => {
  expect(build({ upstreams: { local } }).upstreams).toMatchObject([
    {
      name: 'local',
      kind: 'openai',
      baseUrl: 'http://127.0.0.1:11434/v1',
      keyVariable: null,
      keyFile: null,
      headers: {},
      outputCap: 'max_tokens',
      timeouts: { chat: 600_000 },
    },
  ])
  expect(build({}).upstreams).toEqual([])
})

test.each<[string, object, string]>([
  ['another kind', { local: { ...local, kind: 'soap' } }, 'upstreams.local.kind'],
  ['no address', { local: { kind: 'openai' } }, 'base_url'],
  [
    'an invalid address',
    { local: { ...local, base_url: 'localhost:1' } },
    'upstreams.local.base_url must be',
  ],
  ['a query', { local: { ...local, base_url: 'http://x/v1?a=1' } }, 'without query'],
  [
    'credentials in the address',
    { local: { ...local, base_url: 'http://a:b@x/v1' } },
    'must not hold credentials',
  ],
  ['a key in the file', { local: { ...local, api_key: 'sk-1' } }, 'upstreams.local.api_key'],
  [
    'one of our variables',
    { local: { ...local, api_key_env: 'FAIRGATE_KEY' } },
    'upstreams.local.api_key_env',
  ],
  [
    'a header that we set',
    { local: { ...local, headers: { Authorization: 'x' } } },
    'Authorization is set by Fairgate',
  ],
  ['an invalid header', { local: { ...local, headers: { 'a b': 'x' } } }, 'not a valid header'],
  ['the output cap of another kind', { a: { ...anthropic, output_cap: 'max_tokens' } }, 'a.output_cap: only'],
  [
    'a path that is added anyway',
    { a: { ...anthropic, base_url: 'https://api.anthropic.com/v1/' } },
    'a.base_url must not end in /v1',
  ],
  [
    'a key in a header',
    { a: { ...anthropic, headers: { 'X-Api-Key': 'k' } } },
    'X-Api-Key is set by Fairgate',
  ],
  ['a taken name', { vendor: local }, 'Choose another name'],
  ['an odd name', { 'My Server': local }, 'a name must start with a lower-case letter'],
  ['a time-out of 0', { local: { ...local, timeouts: { chat: 0 } } }, 'upstreams.local.timeouts.chat'],
])('%s stops the start', (_, upstreams, message) => {
  expect(() => build({ upstreams })).toThrow(message)
})

test('a time-out for calls that are never made stops the start', () => {
  expect(() => build({ upstream: { timeouts: { dancing: 5 } } })).toThrow('upstream.timeouts.dancing')
})

describe('time-outs', () => {
  const general = { timeout_seconds: 600, max_retries: 2, timeouts: { chat: 100, images: 200 } }
  test('ordering or checking a video does not wait for the video', () => {
    expect(resolveTimeouts(general).videos).toBe(60_000)
    expect(resolveTimeouts({ ...general, timeouts: { videos: 90 } }).videos).toBe(90_000)
  })

  test.each([
    ['of all', {}, [100, 200, 600]],
    ['of this upstream', { timeout_seconds: 30 }, [30, 30, 30]],
    ['of this upstream and call', { timeout_seconds: 30, timeouts: { chat: 7 } }, [7, 30, 30]],
    ['of this call only', { timeouts: { speech: 7 } }, [100, 200, 7]],
  ])('%s', (_, own, [chat, images, speech]) => {
    const found = resolveTimeouts(general, own)
    expect([found.chat, found.images, found.speech]).toEqual(
      [chat, images, speech].map(value => Number(value) * 1000),
    )
  })
})
