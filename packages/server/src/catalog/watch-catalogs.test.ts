// Different model files are reported once per difference, and not while a reload is still being followed.
import { expect, test } from 'bun:test'
import { CatalogWatch } from './watch-catalogs.ts'

function openWatch() {
  const lines: string[] = []
  let hashes: readonly string[] = []
  const watch = new CatalogWatch({
    read: {
      readCatalogHashes: async () =>
        hashes.map((catalogHash, place) => ({ processId: `process-${place}`, address: null, catalogHash })),
    },
    every: () => () => undefined,
    log: {
      warn: (_fields: unknown, text?: string) => lines.push(`warn: ${text}`),
      info: (_fields: unknown, text?: string) => lines.push(`info: ${text}`),
    },
  })
  const look = async (...found: readonly string[]) => {
    hashes = found
    await watch.look()
    return lines.map(line => line.slice(0, 10))
  }
  return { watch, look }
}

test('after a reload the first check tolerates a difference between processes; the second reports it', async () => {
  const { watch, look } = openWatch()
  expect(await look('a', 'a')).toEqual([])
  expect(await look('a', 'b')).toEqual([])
  expect(await look('b', 'b')).toEqual([])
  expect(await look('a', 'b')).toEqual([])
  expect(watch.differing()).toEqual([])
  expect(await look('a', 'b')).toEqual(['warn: The '])
  expect(watch.differing()).toEqual([
    { processId: 'process-0', address: null, catalogHash: 'a' },
    { processId: 'process-1', address: null, catalogHash: 'b' },
  ])
})

test('a difference is reported once, a different one again, and its end too', async () => {
  const { watch, look } = openWatch()
  for (let number = 0; number < 5; number += 1) await look('a', 'b')
  expect(await look('a', 'b')).toEqual(['warn: The '])
  await look('a', 'c')
  expect(await look('a', 'c')).toEqual(['warn: The ', 'warn: The '])
  expect(await look('c', 'c')).toEqual(['warn: The ', 'warn: The ', 'info: All '])
  expect(watch.differing()).toEqual([])
})

test('a database that does not answer changes nothing', async () => {
  const { watch } = openWatch()
  const away = new CatalogWatch({
    read: { readCatalogHashes: () => Promise.reject(new Error('away')) },
    every: () => () => undefined,
    log: { warn: () => undefined, info: () => undefined },
  })
  await away.look()
  expect([...away.differing(), ...watch.differing()]).toEqual([])
})
