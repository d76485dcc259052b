// suite: 23 s
// The wire, byte for byte: a recorded set of requests to every endpoint of the three doors, the upstream requests for each, and the
// remaining rows. The OpenAPI documents are compared by meaning. `UPDATE_WIRE=1` records everything again; git then shows the difference.
import { afterAll, beforeAll, setDefaultTimeout, test } from 'bun:test'
import { compareDocument } from './compare-document.ts'
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
  test(`${name}: every byte is as recorded`, async () => {
    const difference = compareGolden(name, await server.record(record, start))
    if (difference !== null) throw new Error(`${name} has changed:\n\n${difference}`)
  })
}

for (const door of ['gateway', 'logbook', 'admin'] as const) {
  test(`openapi-${door}: the document matches the recorded one`, async () => {
    const difference = compareDocument(`openapi-${door}`, await server.readDocument(door))
    if (difference !== null) throw new Error(`The OpenAPI document of ${door} has changed:\n\n${difference}`)
  })
}
