// suite: 23 s
// The wire to the byte: a recorded set of requests over every endpoint of the three doors, what went upstream for each, and the
// rows that are left. `UPDATE_WIRE=1` records it again; the difference then shows in the golden files.
import { afterAll, beforeAll, setDefaultTimeout, test } from 'bun:test'
import { compareGolden } from './compare-golden.ts'
import { groups } from './groups/groups.ts'
import { startWire, type WireServer } from './start-wire.ts'

/** Many exchanges each, on a machine that may be busy. */
setDefaultTimeout(60_000)

let server: WireServer
beforeAll(async () => {
  server = await startWire()
})
afterAll(() => server.stop())

for (const [name, { record, start }] of Object.entries(groups)) {
  test(`${name}: every byte is the recorded one`, async () => {
    const difference = compareGolden(name, await server.record(record, start))
    if (difference !== null) throw new Error(`${name} has changed:\n\n${difference}`)
  })
}
