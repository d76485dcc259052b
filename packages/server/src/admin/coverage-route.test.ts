// A page of teams ends early when they take long, and the next one goes on: see record/ for the figures themselves.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type CoverageList, coverageListSchema } from '@fairgate/contracts/calls/coverage.ts'
import { Value } from 'typebox/value'
import { openAdminDoor } from './testing/open-admin-door.ts'

let door: Awaited<ReturnType<typeof openAdminDoor>>
beforeEach(async () => {
  door = await openAdminDoor()
  for (const team_id of ['red', 'blue', 'green']) await door.post('/team/new', { team_id })
})
afterEach(() => door.close())

async function readPages(): Promise<string[][]> {
  const pages: string[][] = []
  for (let query = ''; ; ) {
    const { body } = await door.get(`/coverage${query}`)
    const { teams, next }: CoverageList = Value.Parse(coverageListSchema, body)
    pages.push(teams.map(({ team_id }) => team_id))
    if (next === null) return pages
    query = `?after=${next}`
  }
}

test.each([
  [1, [['red', 'blue', 'green']]],
  [40, [['red', 'blue'], ['green']]],
  [1000, [['red'], ['blue'], ['green']]],
])('teams that take %d ms each', async (coverageMs, pages) => {
  door.pace.coverageMs = coverageMs
  expect(await readPages()).toEqual(pages)
})
