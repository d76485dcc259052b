// Any value that git writes into a configuration file is read back as it was.
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseConfig } from './parse-config.ts'

test('what git writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairgate-config-'))
  try {
    const path = join(folder, 'config')
    const characters = fc.constantFrom(...'ab \t"\\#;=[]\n한🙂')
    const values = fc.array(characters, { maxLength: 12 }).map(parts => parts.join(''))
    let round = 0
    fc.assert(
      fc.property(values, values, (value, subsection) => {
        round += 1
        const key = `part${round}.${subsection.replace(/\n/g, '')}.Key`
        const { exitCode } = Bun.spawnSync(['git', 'config', '-f', path, key, value])
        expect(exitCode).toBe(0)
        const name = `${key.slice(0, -4)}.key`
        expect(parseConfig(readFileSync(path, 'utf8')).filter(line => line.name === name)).toEqual([
          { name, value },
        ])
      }),
      { numRuns: 100 },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('what people write', () => {
  const text = [
    '\uFEFF# comment',
    '[User] Email = a@b.c ; trailing',
    '\tname = "Quoted # not a comment"   ',
    '[core]',
    'bare',
    'path = one \\',
    '  two',
    '[remote.Old]',
    'url=x',
    '[remote "Two Words"]\r',
    'url = https://host/p?a=b#c\r',
  ].join('\n')
  expect(parseConfig(text.slice(1))).toEqual([
    { name: 'user.email', value: 'a@b.c' },
    { name: 'user.name', value: 'Quoted # not a comment' },
    { name: 'core.bare', value: '' },
    { name: 'core.path', value: 'one   two' },
    { name: 'remote.old.url', value: 'x' },
    { name: 'remote.Two Words.url', value: 'https://host/p?a=b' },
  ])
})
