// suite: test on postgres
// Two processes that store responses of the same full teams at the same time.
// Shown to fail with the teams of a batch in the order of its responses: "deadlock detected".
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { StoredResponse } from '../statements/stored-responses.ts'
import type { Store } from '../store.ts'
import { createTestPostgres, findTestPostgres, type TestDatabase } from '../testing/create-test-postgres.ts'
import { openPostgresStore } from './open-postgres-store.ts'

const server = findTestPostgres()

describe.skipIf(server === null)('two processes', () => {
  let database: TestDatabase
  let stores: readonly Store[]
  beforeAll(async () => {
    database = await createTestPostgres(server ?? '')
    const open = () => openPostgresStore({ connectionString: database.url, reportFailure: () => undefined })
    stores = [await open(), await open()]
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
    await database.drop()
  })

  const teams = Array.from({ length: 20 }, (_, number) => `team-${String(number).padStart(2, '0')}`)
  const batch = (order: readonly string[], callId: string): StoredResponse[] =>
    order.map(teamId => ({
      ...{ teamId, callId, createdAt: 1, previousCallId: null },
      ...{ response: '{}', input: '[]' },
    }))

  test('drop the oldest of many teams without waiting for each other in a circle', async () => {
    for (let round = 0; round < 20; round += 1) {
      const bounds = { maxCount: 1, maxBytes: 1_000_000 }
      const orders = [teams, teams.toReversed()]
      await Promise.all(
        stores.map((store, index) =>
          store.write.storeResponses({
            responses: batch(orders[index] ?? [], `${String(round).padStart(3, '0')}-${index}`),
            ...bounds,
          }),
        ),
      )
    }
    expect(
      (
        await stores[0]?.read.readResponses({
          teamId: 'team-00',
          callIds: ['019-1'],
          since: 0,
          withInput: false,
        })
      )?.length,
    ).toBe(1)
  }, 60_000)
})
