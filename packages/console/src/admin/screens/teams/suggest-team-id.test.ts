// Suggested ids are valid or empty for any name.
import { expect, test } from 'bun:test'
import { suggestTeamId } from './suggest-team-id.ts'

test.each([
  ['Kimchi Kernel', 'kimchi-kernel'],
  ['Cedar & Code', 'cedar-code'],
  ['  Équipe  9! ', 'equipe-9'],
  ['김치', ''],
])('%j becomes %j', (name, id) => {
  expect(suggestTeamId(name)).toBe(id)
})
