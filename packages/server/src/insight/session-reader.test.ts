// A page of a session of a busy team: it looks at a limited number of calls, continues where it ended, and ends before entries that are too large.
import { expect, test } from 'bun:test'
import { CoverageReader } from '../record/coverage-reader.ts'
import { buildCallFacts, buildCallRecord } from '../store/testing/build-ledger-rows.ts'
import type { ItemPlace } from './session-pages.ts'
import { type ItemsPage, SessionReader } from './session-reader.ts'

const noon = Date.UTC(2026, 10, 21, 12)

function idAt(second: number): string {
  const hex = (noon + second * 1000).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000001`
}

/** Entries and refused calls so many seconds after noon; a page looks at `maxRows` of the team's calls, which come each second. */
function open(entries: readonly number[], refused: readonly number[], maxRows: number, rowsAtOnce = 1000) {
  const body = JSON.stringify({ session_id: 's', tool: 'codex', event: 'Stop' })
  const rows = entries.map((second, index) => ({
    ...{ seq: index + 1, tsMicros: (noon + second * 1000) * 1000, receivedMicros: (noon + 1e6) * 1000 },
    ...{ toolKey: 'codex', eventKey: 'Stop', identity: '', chain: '', bodyBytes: body.length, body },
    ...{ tokenId: 'lt_1', clientAddress: null, late: 0 },
  }))
  const coverage = new CoverageReader({
    read: {
      readJoinRowsAfter: async ({ afterSeq }) => rows.filter(({ seq }) => seq > afterSeq),
      readCallsAfter: async () => [],
      readBoard: async () => undefined,
    },
    digestTexts: () => null,
    clock: () => noon + 1e7,
    pause: async () => undefined,
  })
  return new SessionReader({
    coverage,
    read: {
      readNumberedEntries: async ({ numbers }) =>
        numbers.slice(0, rowsAtOnce).flatMap(seq => rows.find(row => row.seq === seq) ?? []),
      readCallsOf: async () => [],
      readNamedRefusals: async ({ from, until, order }) => {
        const [first, last] = [Math.ceil((from - noon) / 1000), Math.ceil((until - noon) / 1000) - 1]
        const all = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
        const looked = (order === 'oldest first' ? all : all.toReversed()).slice(0, maxRows)
        const end = looked.length < maxRows ? undefined : looked.at(-1)
        const calls = looked
          .filter(second => refused.includes(second))
          .map(second =>
            buildCallRecord(idAt(second), { outcome: 'refused', receivedAt: noon + second * 1000 }),
          )
          .map(call => ({ ...call, client: buildCallFacts().client, ...seal }))
        return { calls, lookedTo: end === undefined ? null : idAt(end) }
      },
    },
    directory: {
      findKeyName: () => undefined,
      findLogTokenById: () => undefined,
      findMember: () => undefined,
    },
  })
}

const seal = { textsSalt: null, textsHash: null, salt: new Uint8Array(), commit: new Uint8Array() }

async function walk(reader: SessionReader, direction: 'later' | 'earlier', limit: number) {
  const session = await reader.find('red', 's', undefined, 'recent')
  const seen: string[] = []
  let place: ItemPlace | null = null
  for (let pages = 0; pages < 2000; pages += 1) {
    const page: ItemsPage = await reader.readPage(session, { direction, place }, limit)
    const shown = page.items.map(({ item }) => `${item.kind} ${(Date.parse(item.at) - noon) / 1000}`)
    seen.push(...(direction === 'later' ? shown : shown.toReversed()))
    place = direction === 'later' ? page.later : page.earlier
    if (place === null) return seen
  }
  throw new Error('The pages have no end.')
}

const entries = [0, 10, 100, 101]
const refused = [5, 60, 100]
const expected = [
  ...['entry 0', 'refusal 5', 'entry 10', 'refusal 60'],
  ...['entry 100', 'refusal 100', 'entry 101'],
]

test('pages that can look at few calls continue until everything is shown, in both directions', async () => {
  for (const maxRows of [3, 7, 50, 5000])
    for (const limit of [1, 2, 5, 50]) {
      const reader = open(entries, refused, maxRows)
      expect({ maxRows, limit, seen: await walk(reader, 'later', limit) }).toEqual({
        ...{ maxRows, limit, seen: expected },
      })
      const earlier = await walk(reader, 'earlier', limit)
      expect({ maxRows, limit, earlier }).toEqual({ maxRows, limit, earlier: expected.toReversed() })
    }
})

test('a page ends before an entry that does not fit, and the next begins with it', async () => {
  const reader = open(entries, refused, 5000, 1)
  expect(await walk(reader, 'later', 50)).toEqual(expected)
  expect(await walk(reader, 'earlier', 50)).toEqual(expected.toReversed())
})
