// suite: full on sqlite and postgres; 249 s
// Many kills under mixed load: calls, streams, leaving clients, entries and management changes, checked after each restart. With limits in the
// database each check waits for the lease of the killed process, so there are fewer.
import { expect, test } from 'bun:test'
import { findTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { runCrashRounds } from '../testing/crash-load.ts'
import { createSurroundings } from '../testing/start-fairgate.ts'
import { twoKinds } from '../testing/two-kinds.ts'

const kills = findTestPostgres() === null ? 100 : 25

test(`spec 4.2: ${kills} × kill -9: nothing acknowledged is missing, nothing is stored twice`, async () => {
  const place = await createSurroundings(twoKinds)
  try {
    const { promises, charges } = await runCrashRounds(place, { kills, requestsPerRound: 250 })
    console.log(
      `${place.databaseUrl === null ? 'SQLite' : 'PostgreSQL'}: ${kills} kills, ${promises.answered.length} answers, ` +
        `${charges} charges, ${promises.left} streams left, ${promises.acknowledged.length} entries, ${promises.teams.length} teams: all there once`,
    )
    expect(promises.answered.length).toBeGreaterThanOrEqual(20 * kills)
  } finally {
    await place.remove()
  }
}, 1_200_000)
