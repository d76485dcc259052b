// A hundred entries wait for a transcript of twenty megabytes. It is read once, and a push that has no time for it leaves it to the next sender.
import { expect, test } from 'bun:test'
import type { LogEntry } from '@fairgate/contracts/logbook/log-entry.ts'
import { saveLogbookUrl, saveToken } from '../config/settings.ts'
import { cutFields } from '../entry/build-entry.ts'
import { noteCompletion } from '../spool/completions.ts'
import { listPending } from '../spool/pending.ts'
import { openSpool } from '../spool/spool.ts'
import { createMemoryFiles } from '../spool/testing/memory-files.ts'
import { createFindMembers } from '../tools/create-find-members.ts'
import { openText } from '../tools/testing/open-text.ts'
import { createTranscripts } from '../tools/transcripts.ts'
import { runSending } from './run-sending.ts'

const start = Date.parse('2026-11-21T00:00:00Z')
const output = `${JSON.stringify({ type: 'user', text: 'x'.repeat(200_000) })}\n`

/** Each of the hundred turns has an answer with its own text and model, and tool outputs of 200 kB. */
const answerOf = (turn: number) => {
  const message = {
    id: `m${turn}`,
    role: 'assistant',
    model: `model-${turn}`,
    content: [{ type: 'text', text: `Answer ${turn}` }],
    stop_reason: `reason ${turn}`,
  }
  return `${JSON.stringify({ type: 'assistant', timestamp: new Date(start + turn * 1000).toISOString(), message })}\n`
}
const turns = Array.from({ length: 100 }, (_, turn) => turn)
const text = turns.map(turn => output + answerOf(turn)).join('')

function createWorld() {
  let time = start
  const spool = openSpool('/repo/.git/fairgate', {
    files: createMemoryFiles(() => time),
    now: () => new Date(time),
    processId: 1,
    random: Math.random,
  })
  saveLogbookUrl(spool, 'http://logbook')
  saveToken(spool, 'aitc_x')
  const stop = (turn: number): LogEntry => ({
    ts: new Date(start + turn * 1000 + 500).toISOString(),
    tool: 'claude',
    event: 'Stop',
    session_id: 's',
    repo: 'r',
    branch: 'b',
    commit: 'c',
    student: 'e',
    model: null,
    response_summary: `Answer ${turn}`,
    stop_reason: null,
  })
  const put = (turn: number) => {
    time = start + turn * 1000 + 500
    const entry = spool.number(stop(turn))
    noteCompletion(spool, entry.name, { tool: 'claude', transcript: '/t' })
    spool.put(entry)
  }
  const read = { bytes: 0, times: 0 }
  const sent: Record<string, unknown>[] = []
  let file = openText(text)
  const transcripts = createTranscripts((_path, use) =>
    use({
      size: file.size,
      read: (at, length) => {
        const bytes = file.read(at, length)
        read.bytes += bytes.length
        read.times += 1
        return bytes
      },
    }),
  )
  const send = async (remainingMs: () => number, onPost = () => {}) =>
    await runSending({
      spool,
      fallbackFolder: '/home/.fairgate',
      owner: { processId: 1, host: 'h', now: () => time, isAlive: () => true },
      connect: async () => {
        return async ({ body = '' }) => {
          const { entries }: { entries: Record<string, unknown>[] } = JSON.parse(body)
          sent.push(...entries)
          onPost()
          const reply = { received: entries.length, rejected: [] }
          return {
            kind: 'reply',
            status: 202,
            body: reply,
            isEmpty: false,
            teamId: null,
            location: null,
            retryAfterMs: null,
          }
        }
      },
      scan: async () => undefined,
      startCompleting: isTimeUp => createFindMembers({ transcripts, now: () => time, isTimeUp, cutFields }),
      remainingMs,
      isPatient: true,
    })
  const write = (more: string) => {
    file = openText(text + more)
  }
  return { spool, put, read, sent, send, write, pass: (ms: number) => (time += ms) }
}

const complete = (turn: number) => ({ model: `model-${turn}`, stop_reason: `reason ${turn}` })

test('a hundred entries of one transcript: each byte is read once, and each entry is completed', async () => {
  const { put, read, sent, send, pass } = createWorld()
  for (const turn of turns) put(turn)
  pass(1000)
  expect(await send(() => 1500)).toMatchObject({ sent: 100, kept: 0, stop: null })
  expect(read.bytes).toBeLessThanOrEqual(text.length * 1.25)
  expect(read.times).toBeLessThan(40)
  expect(sent).toMatchObject(turns.map(complete))
})

test('what a hook adds while entries are being sent is read from where the reading ended', async () => {
  const { put, read, sent, send, write, pass } = createWorld()
  put(99)
  pass(10)
  const result = await send(
    () => 1500,
    () => {
      if (sent.length > 1) return
      write(answerOf(100))
      put(100)
    },
  )
  expect(result).toMatchObject({ sent: 2, kept: 0 })
  expect(read.bytes).toBeLessThanOrEqual(text.length * 1.25)
  expect(sent).toMatchObject([complete(99), complete(100)])
})

test('no time left for a transcript: its entries are kept and can still be completed; the others are sent', async () => {
  const { spool, put, sent, send, pass } = createWorld()
  put(1)
  const plain = spool.number({
    ts: new Date(start).toISOString(),
    tool: 'codex',
    event: 'Stop',
    session_id: 's2',
    repo: 'r',
    branch: 'b',
    commit: 'c',
    student: 'e',
  })
  spool.put(plain)
  pass(1000)
  expect(await send(() => 400)).toMatchObject({ sent: 1, kept: 1, stop: { reason: 'timeout' } })
  expect(spool.files.list(spool.layout.completions)).toEqual(listPending(spool))
  // As the sender in the background does.
  expect(await send(() => 60_000)).toMatchObject({ sent: 1, kept: 0, stop: null })
  expect(sent).toMatchObject([{ tool: 'codex' }, complete(1)])
  expect(spool.files.list(spool.layout.completions)).toEqual([])
})

test('of a transcript of more than 64 MiB the end is read; what lies before it is not guessed', async () => {
  const { put, read, sent, send, write, pass } = createWorld()
  put(1)
  put(200)
  write(`${output.repeat(340)}${answerOf(200)}`)
  pass(1000)
  await send(() => 1500)
  expect(read.bytes).toBeLessThanOrEqual(64 * 1024 * 1024 * 1.25)
  expect(sent).toMatchObject([{ model: null, stop_reason: null }, complete(200)])
})
