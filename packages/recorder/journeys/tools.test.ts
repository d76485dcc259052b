// Every event of every tool, from the tool's own payload to the entry that is sent: exactly this entry, and one that a logbook takes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { validateEntry } from '../../server/src/logbook/accept-entries/validate-entry.ts'
import { type FakeLogbook, startFakeLogbook } from './testing/fake-logbook.ts'
import { allEvents, readExpected, readFixture, transcriptPlaces } from './testing/fixtures.ts'
import { createWorkPlace, student, type WorkPlace } from './testing/work-place.ts'

let logbook: FakeLogbook
let place: WorkPlace
let began = 0
let sentEntries: readonly Record<string, unknown>[] = []

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

const utc = (time: unknown) => new Date(String(time)).toISOString()

beforeAll(async () => {
  logbook = startFakeLogbook()
  place = await createWorkPlace()
  place.connect(logbook.url, 'aitc_token')
  began = Date.now()
  const places = { ...place, now: new Date().toISOString() }
  for (const [tool, fixture, path] of transcriptPlaces)
    place.write(join(place.home, path), readFixture(tool, fixture, places))
  // The events run one after the other, as in a session, because the start of a session gives later hooks the model.
  for (const [tool, event] of allEvents)
    await place.event(tool, event, readFixture(tool, `${event}.json`, places))
  const sent = await place.recorder(['send'])
  expect(sent).toEqual({
    code: 0,
    output: `fairgate-recorder: ${allEvents.length} entries sent\n`,
    errors: '',
  })
  sentEntries = logbook.entries()
}, 300_000)
afterAll(async () => {
  await logbook.stop()
  place.remove()
})

test('each event is sent once', () => {
  const names = sentEntries.map(({ tool, event }) => `${tool} ${event}`).sort()
  expect(names).toEqual(allEvents.map(([tool, event]) => `${tool} ${event}`).sort())
})

describe.each(allEvents.map(([tool, event]) => ({ tool, event })))(
  'spec 6: $tool $event',
  ({ tool, event }) => {
    test('becomes the exact entry', async () => {
      const entry = sentEntries.find(candidate => candidate.tool === tool && candidate.event === event)
      const commit = (await place.git(['rev-parse', '--short', 'HEAD'])).output.trim()
      const { ts = entry?.ts, ...expected } = readExpected(tool, { ...place, now: '' })[event] ?? {}
      expect(validateEntry(entry)).toMatchObject({ ok: true })
      const { recorder, ...members } = entry ?? {}
      expect<object>({ ...optionalMembers, ...members, ts: utc(entry?.ts) }).toEqual({
        ...optionalMembers,
        ...expected,
        ts: utc(ts),
        tool,
        event,
        repo: 'project',
        branch: 'main',
        commit,
        student,
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
