// Suggestions for misspelt settings, in the environment and in the settings file.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refuseUnknownVariables } from './environment.ts'
import { readSettings } from './settings-file.ts'
import { suggestName } from './suggest-name.ts'

const folder = mkdtempSync(join(tmpdir(), 'fairgate-suggest-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['drain_secnds', 'drain_seconds'],
  ['drainSeconds', 'drain_seconds'],
  ['max_retreis', 'max_retries'],
  ['colour', null],
  ['id', null],
])('%s: %p', (unknown, meant) => {
  expect(suggestName(unknown, ['drain_seconds', 'max_retries', 'limits', 'do'])).toBe(meant)
})

describe('the settings file', () => {
  test.each([
    ['log_levl: debug', 'log_levl (did you mean log_level?)'],
    [
      'limits: { max_body_mebibyte: 3 }',
      'limits.max_body_mebibyte (did you mean limits.max_body_mebibytes?)',
    ],
    ['limits: { bodies: { wait_second: 3 } }', '(did you mean limits.bodies.wait_seconds?)'],
    ['max_retries: 3', 'unknown setting max_retries (did you mean upstream.max_retries?)'],
    [
      'upstreams: { own: { kind: openai, base_ulr: x } }',
      'upstreams.own.base_ulr (did you mean upstreams.own.base_url?)',
    ],
    ['colour: red', 'unknown setting colour.'],
  ])('%s', (yaml, message) => {
    const path = join(folder, 'fairgate.yaml')
    writeFileSync(path, yaml)
    expect(() => readSettings(path)).toThrow(message)
  })
})

describe('the environment', () => {
  test.each([
    ['FAIRGATE_DATA_DRI', 'Unknown setting FAIRGATE_DATA_DRI (did you mean FAIRGATE_DATA_DIR?)'],
    ['FAIRGATE_ADMINPORT', '(did you mean FAIRGATE_ADMIN_PORT?)'],
    ['VENDOR_API_KEYS', 'Unknown setting VENDOR_API_KEYS (did you mean VENDOR_API_KEY?)'],
    ['REDIS_URL', 'REDIS_URL has no effect here'],
  ])('%s', (name, message) => {
    expect(() => refuseUnknownVariables({ [name]: 'x' }, [])).toThrow(message)
  })

  test('names that are known, empty, of another program, or for upstream keys pass', () => {
    const variables = {
      FAIRGATE_HOST: 'x',
      FAIRGATE_NOTHING: ' ',
      PATH: '/bin',
      VENDOR_TWO: 'k',
      DATABASE_URL: 'x',
    }
    expect(() => refuseUnknownVariables(variables, [null, 'VENDOR_TWO'])).not.toThrow()
  })
})
