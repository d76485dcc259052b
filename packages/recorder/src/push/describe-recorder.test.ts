// What a recorder reports about itself to the logbook: what else waits, and never an error.
import { expect, test } from 'bun:test'
import { readRecorderReport, recorderHeader } from '@fairgate/contracts/logbook/recorder-report.ts'
import { isolateEntry } from '../spool/rejected.ts'
import { openSpool } from '../spool/spool.ts'
import { createMemoryFiles } from '../spool/testing/memory-files.ts'
import { describeRecorder } from './describe-recorder.ts'

const start = Date.parse('2026-11-21T00:00:00Z')

function createWorld() {
  let time = start
  const spool = openSpool('/repo/.git/fairgate', {
    files: createMemoryFiles(() => time),
    now: () => new Date(time),
    processId: 1,
    random: Math.random,
  })
  const put = (at: number) => {
    time = at
    const entry = spool.number({
      ts: new Date(at).toISOString(),
      ...{ tool: 'codex', event: 'Stop', session_id: 's', repo: 'r', branch: 'b', commit: 'c', student: 'e' },
    })
    spool.put(entry)
    return entry.name
  }
  const facts = {
    version: '0.1.0',
    goneTools: (): readonly string[] => ['codex'],
    now: () => start + 600_000,
  }
  return { spool, put, facts }
}

test('entries being sent are not counted as waiting; the oldest of the rest says how long', () => {
  const { spool, put, facts } = createWorld()
  const first = put(start)
  put(start + 60_000)
  const refused = put(start + 90_000)
  isolateEntry(spool, `${spool.layout.pending}/${refused}`, refused, { code: 'x', message: 'y' })
  const read = (sending: readonly string[]) =>
    readRecorderReport(describeRecorder(spool, new Set(sending), facts)[recorderHeader] ?? '')
  expect(read([])).toMatchObject({
    version: '0.1.0',
    unsent: 2,
    oldestSeconds: 600,
    rejected: 1,
    sentSeconds: start / 1000 + 600,
  })
  expect(read([first])).toMatchObject({ unsent: 1, oldestSeconds: 540, gone: ['codex'] })
  expect(read([first])?.cloneId).toMatch(/^[0-9a-f]{8}$/)
})

test('a report that cannot be read is left out, and the batch is sent without it', () => {
  const { spool, facts } = createWorld()
  const goneTools = () => {
    throw new Error('no permission')
  }
  expect(describeRecorder(spool, new Set(), { ...facts, goneTools })).toEqual({})
})
