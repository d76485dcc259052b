// suite: 88 s
// A vendor that sends forever, as much as is read: each reply ends in time, and the process's memory stays small.
// Shown to fail on the build before the replies of the upstream were capped: one endless error body took 2.3 GB.
import { expect, test } from 'bun:test'
import { faults } from '@fairgate/sandbox/hostile/fault-table.ts'
import { findTestPostgres } from '../../src/store/testing/create-test-postgres.ts'
import { endpoints } from '../testing/hostile/endpoints.ts'
import { startHostileFairgate } from '../testing/hostile/hostile-fairgate.ts'
import { pairUp, runTable } from '../testing/hostile/run-table.ts'

/** FAULT=stream plays only faults with names that begin with it. */
const wantedName = process.env.FAULT ?? ''
const known = Object.entries(faults).filter(
  ([name, { endless }]) => endless === 'flood' && name.startsWith(wantedName),
)
// Upstream replies do not depend on the storage engine, so one fault is enough on the second engine.
const floods = findTestPostgres() === null ? known : known.slice(0, 1)

/** Covers each code path of the server, not each route. */
const ways: readonly string[] = [
  'chat',
  'chat-stream',
  'chat-once',
  'images',
  'speech',
  'embeddings',
  'videos',
  'relay',
  'relay-events',
  'relay-array',
  'relay-events-once',
  'other-chat',
  'other-stream',
]

/** Comments without end take 11 s on a quiet machine with two cores: each is read by itself. */
const longestMs = 90_000
/** A file is relayed for as long as its client reads. The vendor's socket keeps what it has sent until it closes: a gigabyte a second. */
const longestFileMs = 3000

/** Small caps, so that a flood that passes one shows at once. */
const settings = `
upstream:
  timeout_seconds: 2
  timeouts: { videos: 2 }
  max_retries: 0
  max_reply_mebibytes: 16
  max_stream_mebibytes: 32
videos: { max_file_mebibytes: 32 }`

// One after the other, so that each figure belongs to its fault.
test.each(floods)(
  '%s',
  async (name, fault) => {
    const fairgate = await startHostileFairgate(settings)
    try {
      const plays = pairUp(
        endpoints.filter(endpoint => ways.includes(endpoint.name)),
        { [name]: fault },
        () => true,
      )
      const report = await runTable(fairgate, plays, {
        atOnce: 4,
        longestMs: name === 'file-endless' ? longestFileMs : longestMs,
        watchMs: 1500,
      })
      const { holds, slots } = await fairgate.idleFigures()
      console.log(`${name}: ${report.replies} replies, at most ${report.maxResidentMegabytes} MiB`)
      const { violations } = report
      expect({ violations, holds, slots }).toEqual({ violations: [], holds: 0, slots: 0 })
      expect(report.maxResidentMegabytes).toBeLessThan(700)
    } finally {
      expect(await fairgate.stop()).toBe(0)
    }
  },
  300_000,
)
