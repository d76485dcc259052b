// A scan reads each byte of a transcript once and no more than it may, however long the transcript is.
import { expect, test } from 'bun:test'
import { createNotes } from '../spool/notes.ts'
import { listPending } from '../spool/pending.ts'
import { openSpool } from '../spool/spool.ts'
import { createMemoryFiles } from '../spool/testing/memory-files.ts'
import { noteSession } from '../tools/session-notes.ts'
import { openText } from '../tools/testing/open-text.ts'
import { createTranscripts } from '../tools/transcripts.ts'
import { scanTranscript, scanTranscripts } from './scan-transcripts.ts'

const now = Date.parse('2026-11-27T00:00:00Z')
const megabyte = 1024 * 1024

/** Ten kilobytes each: a call, its refusal, and output that no one needs. */
const lines = (index: number) => {
  const timestamp = new Date(now + index).toISOString()
  const call = { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"x"}', call_id: `c${index}` }
  const output = { type: 'function_call_output', call_id: `c${index}`, output: 'refused' }
  const other = { type: 'agent_message', message: 'x'.repeat(10_000) }
  return [call, other, output].map(payload => `${JSON.stringify({ timestamp, payload })}\n`).join('')
}
const transcript = (calls: number) => Array.from({ length: calls }, (_, index) => lines(index)).join('')

function createWorld(text: string) {
  let file = openText(text)
  let time = now
  const read = { bytes: 0 }
  const spool = openSpool('/repo/.git/fairgate', {
    files: createMemoryFiles(() => time),
    now: () => new Date(time),
    processId: 1,
    random: Math.random,
  })
  const transcripts = createTranscripts((_path, use) =>
    use({
      size: file.size,
      read: (at, length) => {
        read.bytes += length
        return file.read(at, length)
      },
    }),
  )
  const facts = { repo: 'r', branch: 'b', commit: 'c', student: 's' }
  const session = { tool: 'codex', sessionId: 's', transcript: '/t', model: 'm', places: null }
  const note = noteSession(createNotes(spool), session, () => ({ from: 0, notedAt: now }))
  const dependencies = (isTimeUp: () => boolean) => ({
    spool,
    transcripts,
    now: time,
    isTimeUp,
    findFacts: async () => facts,
  })
  return {
    read,
    grow: (more: string) => {
      file = openText(text + more)
    },
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    recorded: () => listPending(spool).length,
    claims: () => spool.files.list(spool.layout.claims).length,
    look: async () =>
      await scanTranscript(
        dependencies(() => false),
        note,
        megabyte,
      ),
    scan: async (isTimeUp = () => false) => await scanTranscripts(dependencies(isTimeUp), () => []),
  }
}

test('the end of a turn reads a megabyte at most, the next scans read on from there to the end, each byte once', async () => {
  const text = transcript(2000)
  const { read, recorded, look, scan, grow } = createWorld(text)
  expect(await look()).toBe(false)
  expect(read.bytes).toBeLessThanOrEqual(megabyte)
  expect(recorded()).toBeGreaterThan(90)
  let parts = 0
  await scan(() => ++parts > 1)
  expect(recorded()).toBeLessThan(2000)
  await scan()
  expect(recorded()).toBe(2000)
  // A line that ends in the next part is read again with it.
  expect(read.bytes).toBeLessThanOrEqual(text.length + 4 * 11_000)
  const whole = read.bytes
  await scan()
  expect(read.bytes).toBe(whole)
  grow(lines(2000))
  await scan()
  expect(recorded()).toBe(2001)
  expect(read.bytes - whole).toBe(lines(2000).length)
})

test('what keeps a call from being recorded twice is removed an hour after a scan has seen all of the transcript', async () => {
  const { scan, pass, claims, recorded } = createWorld(transcript(3))
  await scan()
  pass(30 * 60_000)
  await scan()
  expect(claims()).toBe(3)
  pass(31 * 60_000)
  await scan(() => true)
  expect(claims()).toBe(3)
  await scan()
  expect([claims(), recorded()]).toEqual([0, 3])
})
