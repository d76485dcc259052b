// `npm ci` and `npx fairgate` in a fresh clone: no warning about the Node version, no changed file.
import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

type Package = {
  readonly engines?: { readonly node?: string }
  readonly bin?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (path: string): unknown => JSON.parse(readFileSync(`${root}/${path}`, 'utf8'))
const own = read('package.json') as Package
const { packages } = read('package-lock.json') as { packages: Record<string, Package & { optional?: true }> }

test.each(['20.19.0', '22.12.0', '24.0.0', '26.0.0'])('every installed package accepts Node %s', version => {
  expect(Bun.semver.satisfies(version, own.engines?.node ?? '')).toBe(true)
  const refusing = Object.entries(packages).filter(
    ([, { engines, optional }]) =>
      optional !== true && engines?.node !== undefined && !Bun.semver.satisfies(version, engines.node),
  )
  expect(refusing.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([])
})

test.each(['18.20.0', '20.10.0', '22.11.0'])(
  'Node %s is not listed as supported, since a package refuses it',
  version => {
    expect(Bun.semver.satisfies(version, own.engines?.node ?? '')).toBe(false)
  },
)

test('commands are committed as executable, or npm would make them so and git would show a change', () => {
  const commands = Object.values(own.bin ?? {})
  expect(commands.length).toBeGreaterThan(0)
  for (const path of commands) expect(statSync(`${root}/${path}`).mode & 0o111).toBe(0o111)
})
