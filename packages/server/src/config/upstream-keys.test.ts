// Keys from the environment and from files: parsed keys, refusals by the name of the setting, and that no message holds a key.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readUpstreamKeys } from './upstream-keys.ts'

const folder = mkdtempSync(join(tmpdir(), 'fairgate-keys-'))
const path = join(folder, 'keys')
afterAll(() => rmSync(folder, { recursive: true }))

const own = { name: 'own', keyVariable: 'OWN_KEY', keyFile: null }

describe('variables', () => {
  test('hold one key or several, separated by commas', () => {
    const keys = readUpstreamKeys({ OWN_KEY: ' a, b ,' }, { VENDOR_API_KEY: 'c' }, [own])
    expect([...keys]).toEqual([
      ['vendor', ['c']],
      ['own', ['a', 'b']],
    ])
  })

  test('an upstream that needs no key has null, the embedded sandbox no entry', () => {
    expect([...readUpstreamKeys({}, {}, [{ ...own, keyVariable: null }])]).toEqual([['own', null]])
  })

  test.each([undefined, '', ' , '])('%j holds no key', value => {
    expect(() => readUpstreamKeys({ OWN_KEY: value }, {}, [own])).toThrow(
      'the variable OWN_KEY contains no key',
    )
  })

  test('commas alone are not a key', () => {
    expect(() => readUpstreamKeys({}, { VENDOR_API_KEY: ', ,' }, [])).toThrow(
      'VENDOR_API_KEY contains no key.',
    )
  })
})

describe('files', () => {
  const read = (text: string) => {
    writeFileSync(path, text)
    return readUpstreamKeys({}, { VENDOR_API_KEY_FILE: path }, [{ ...own, keyFile: path }])
  }

  test('hold one key per line, with comments, and Windows line endings', () => {
    const keys = ['key-one', 'key-two', 'key-three']
    expect([...read('# ours\nkey-one\r\n\nkey-two,key-three # spare\n')]).toEqual([
      ['vendor', keys],
      ['own', keys],
    ])
  })

  test('without a key, with an invalid line, or missing: the setting is named, the key is not', () => {
    expect(() => read('# none\n')).toThrow('VENDOR_API_KEY_FILE: the file contains no key.')
    expect(() => read('key-one\nkey two')).toThrow('VENDOR_API_KEY_FILE: line 2 of the file is not a key')
    expect(() => read('key-ö')).not.toThrow('key-ö')
    rmSync(path)
    const lost = { ...own, keyFile: path }
    expect(() => readUpstreamKeys({}, {}, [lost])).toThrow(
      'upstreams.own.api_key_file: the file cannot be read (ENOENT).',
    )
  })
})
