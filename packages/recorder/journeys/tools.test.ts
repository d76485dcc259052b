// suite: 6 s
// Every event of every tool, from the tool's own payload to the entry that the team reads back from a running logbook.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readAllEntries } from '../../server/journeys/testing/logbook-client.ts'
import { type Fairgate, startFairgate } from '../../server/journeys/testing/start-fairgate.ts'
import { allEvents, readExpected, readFixture, transcriptPlaces } from './testing/fixtures.ts'
import { createWorkPlace, student, type WorkPlace } from './testing/work-place.ts'

let fairgate: Fairgate
let place: WorkPlace
let token = ''
let began = 0
let stored: readonly Record<string, unknown>[] = []

const optionalMembers = {
  model: null,
  prompt: null,
  tool_name: null,
  tool_input: null,
  tool_response: null,
  tool_error: null,
  response_summary: null,
  stop_reason: null,
}

beforeAll(async () => {
  ;[fairgate, place] = await Promise.all([startFairgate(), createWorkPlace()])
  await fairgate.manage.post('/team/new', { team_id: 'red' })
  token = (await fairgate.manage.token('red')).token
  place.connect(fairgate.logbookUrl, token)
  began = Date.now()
  const places = { ...place, now: new Date().toISOString() }
  for (const [tool, fixture, path] of transcriptPlaces)
    place.write(join(place.home, path), readFixture(tool, fixture, places))
  // The events run one after the other, as in a session, because the start of a session tells later hooks the model.
  for (const [tool, event] of allEvents)
    await place.hook(tool, event, readFixture(tool, `${event}.json`, places))
  const sent = await place.recorder(['send'])
  expect(sent).toEqual({
    code: 0,
    output: `fairgate-recorder: ${allEvents.length} entries sent\n`,
    errors: '',
  })
  stored = await readAllEntries(fairgate.logbookUrl, token)
}, 300_000)
afterAll(async () => {
  await fairgate.stop()
  place.remove()
})

test('each event is stored once', () => {
  const names = stored.map(({ tool, event }) => `${tool} ${event}`).sort()
  expect(names).toEqual(allEvents.map(([tool, event]) => `${tool} ${event}`).sort())
})

describe.each(allEvents.map(([tool, event]) => ({ tool, event })))(
  'spec 6: $tool $event',
  ({ tool, event }) => {
    test('becomes the exact entry', async () => {
      const entry = stored.find(candidate => candidate.tool === tool && candidate.event === event)
      const commit = (await place.git(['rev-parse', '--short', 'HEAD'])).output.trim()
      const { ts = entry?.ts, ...expected } = readExpected(tool, { ...place, now: '' })[event] ?? {}
      expect(entry).toEqual({
        ...optionalMembers,
        ...expected,
        ts,
        tool,
        event,
        repo: 'project',
        branch: 'main',
        commit,
        student,
        received_at: expect.any(String),
      })
      if (expected.ts === undefined && tool !== 'gemini' && tool !== 'copilot') {
        expect(Date.parse(String(entry?.ts))).toBeGreaterThanOrEqual(began)
        expect(Date.parse(String(entry?.ts))).toBeLessThanOrEqual(Date.now())
      }
    })
  },
)

test('spec 2.10: entries are sent with the local offset and milliseconds, and numbered without a gap', async () => {
  await place.hook('codex', 'Stop', readFixture('codex', 'Stop.json', { ...place, now: '' }))
  const [entry] = place.pending()
  expect(entry?.ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+09:00$/)
  expect(entry?.recorder).toMatchObject({ n: allEvents.length + 1 })
})
