// Checks docs/errors.md against the registry: each code is documented once, with its status, and nothing else is.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { errorRegistry } from './registry.ts'

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `([a-z_]+)` +\| (\d{3}) /gm)].map(([, code, status]) => [
  code,
  Number(status),
])

test('docs/errors.md lists every code with its status, once', () => {
  const registered = Object.entries(errorRegistry).map(([code, { status }]) => [code, status])
  expect(rows.toSorted()).toEqual(registered.toSorted())
})
