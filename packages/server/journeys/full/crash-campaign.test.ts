// A hundred kills under mixed load: calls, streams, leavers, entries and management changes, checked after each restart.
import { expect, test } from 'bun:test'
import { runCrashRounds } from '../testing/crash-load.ts'
import { createSurroundings } from '../testing/start-fairgate.ts'

test('spec 4.2: 100 × kill -9: nothing that was promised is missing, nothing is there twice', async () => {
  const place = await createSurroundings()
  try {
    const { kills, promises, charges } = await runCrashRounds(place, { kills: 100, requestsPerRound: 250 })
    console.log(
      `${place.databaseUrl === null ? 'SQLite' : 'PostgreSQL'}: ${kills} kills, ${promises.answered.length} answers, ` +
        `${charges} charges, ${promises.left} streams left, ${promises.acknowledged.length} entries, ${promises.teams.length} teams: all there once`,
    )
    expect(promises.answered.length).toBeGreaterThanOrEqual(2000)
  } finally {
    await place.remove()
  }
}, 1_200_000)
