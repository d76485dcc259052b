// suite: 30 s
// A misbehaving vendor: for every fault, the reply is complete and in its dialect's format, the charge is at most the hold, and no secret leaks.
// Each fault is played on one of the endpoints that it affects; full/hostile-vendor.test.ts plays it on all of them.
// Shown to fail on the build before the faults were fixed: 84 faults broke a promise, "usage-billions on embeddings: charged 750 of a hold of 0.00002" among them.
import { expect, test } from 'bun:test'
import { endpoints } from './testing/hostile/endpoints.ts'
import { playSomeFaults } from './testing/hostile/play-table.ts'
import type { Play } from './testing/hostile/run-table.ts'

/** The next fault has another endpoint, so that every endpoint meets some faults. */
function chooseOneEach(plays: readonly Play[]): readonly Play[] {
  const byFault = [...Map.groupBy(plays, ({ name }) => name).values()]
  return byFault.flatMap((own, fault) => own.filter((_, place) => place === fault % own.length))
}

test('every fault on one endpoint', async () => {
  await playSomeFaults(plays => {
    const chosen = chooseOneEach(plays)
    expect(new Set(chosen.map(({ name }) => name))).toEqual(new Set(plays.map(({ name }) => name)))
    expect(new Set(chosen.map(({ endpoint }) => endpoint.name)).size).toBe(endpoints.length)
    return chosen
  })
}, 900_000)
