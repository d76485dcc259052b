// What a tool writes to its transcript only after the hook has run: taken in before the entry is first sent, and never after.
import { afterAll, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFakeLogbook } from './testing/fake-logbook.ts'
import { readFixture } from './testing/fixtures.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

const places: WorkPlace[] = []
const logbook = startFakeLogbook()
afterAll(async () => {
  await logbook.stop()
  for (const place of places) place.remove()
})

async function connectedPlace(): Promise<WorkPlace> {
  const place = await createWorkPlace()
  places.push(place)
  place.connect(logbook.url, 'aitc_token')
  return place
}

const sentBy = (session: string) => logbook.entries().filter(({ session_id }) => session_id === session)

test("Copilot's final answer comes to the disk after the hook: the entry goes out with it", async () => {
  const place = await connectedPlace()
  const session = 'p1234567-89ab-4cde-8f01-23456789abcd'
  const transcript = join(place.home, '.copilot', 'session-state', session, 'events.jsonl')
  const lines = readFixture('copilot', 'transcript.jsonl', { ...place, now: '' }).split('\n')
  place.write(transcript, `${lines.slice(0, 4).join('\n')}\n`)
  await place.hook('copilot', 'agentStop', readFixture('copilot', 'agentStop.json', { ...place, now: '' }))
  expect(place.pending()).toMatchObject([{ response_summary: null, stop_reason: 'end_turn' }])
  appendFileSync(transcript, lines.slice(4).join('\n'))
  await place.recorder(['send'])
  expect(sentBy(session)).toMatchObject([{ response_summary: 'The issue is open.', model: 'model-second-2' }])
})

test("Claude Code's first prompt learns the model from the answer that followed; after a first sending nothing changes", async () => {
  const place = await connectedPlace()
  const transcript = join(place.home, '.claude', 'projects', 'p', 'c1.jsonl')
  const payload = { session_id: 'c1', cwd: place.root, transcript_path: transcript, prompt: 'hello' }
  place.write(transcript, '')
  await place.hook('claude', 'UserPromptSubmit', payload)
  await place.hook('claude', 'UserPromptSubmit', { ...payload, session_id: 'c2' })
  logbook.behave(() => new Response('', { status: 500 }))
  await place.recorder(['send'])
  const message = { role: 'assistant', model: 'model-late', content: [], stop_reason: 'end_turn' }
  appendFileSync(
    transcript,
    `${JSON.stringify({ type: 'assistant', timestamp: new Date().toISOString(), message })}\n`,
  )
  await place.hook('claude', 'Stop', { ...payload, session_id: 'c3' })
  logbook.behave(() => null)
  await place.recorder(['send'])
  // It might be in the logbook already: the first sending got no answer that says otherwise.
  expect(sentBy('c1')).toMatchObject([{ model: null }])
  expect(sentBy('c3')).toMatchObject([{ model: 'model-late' }])

  const fresh = {
    ...payload,
    session_id: 'c4',
    transcript_path: join(place.home, '.claude', 'projects', 'p', 'c4.jsonl'),
  }
  await place.hook('claude', 'UserPromptSubmit', fresh)
  place.write(
    fresh.transcript_path,
    `${JSON.stringify({ type: 'assistant', timestamp: new Date().toISOString(), message })}\n`,
  )
  await place.recorder(['send'])
  expect(sentBy('c4')).toMatchObject([{ model: 'model-late' }])
})

test('Antigravity: a prompt that no hook saw is found by the scan at push, each prompt is carried once', async () => {
  const place = await connectedPlace()
  const now = new Date().toISOString()
  const conversation = 'a9876543-210f-4edc-8ba9-876543210fed'
  const payload = readFixture('antigravity', 'PreInvocation.json', { ...place, now })
  const transcript = JSON.parse(payload).transcriptPath
  const step = (index: number, text: string, at = now) => {
    const content = `<USER_REQUEST>\n${text}\n</USER_REQUEST>`
    const line = {
      step_index: index,
      source: 'USER_EXPLICIT',
      type: 'USER_INPUT',
      status: 'DONE',
      created_at: at,
      content,
    }
    return `${JSON.stringify(line)}\n`
  }
  place.write(transcript, step(0, 'long before the recorder', '2026-01-01T00:00:00Z'))
  await place.hook('antigravity', 'PreInvocation', payload)
  appendFileSync(transcript, step(1, 'first'))
  await place.hook('antigravity', 'PreInvocation', payload)
  await place.hook('antigravity', 'PreInvocation', payload)
  appendFileSync(transcript, step(5, 'second'))
  await place.recorder(['send'])
  await place.recorder(['send'])
  const carried = sentBy(conversation).map(({ prompt, recorder_source }) => [prompt, recorder_source])
  expect(carried).toEqual([
    [null, undefined],
    ['first', undefined],
    [null, undefined],
    ['second', 'transcript'],
  ])
})

test('Antigravity: a conversation without any hook is found by its workspace or its paths, one of another place is not', async () => {
  const place = await connectedPlace()
  // Recording begins here.
  await place.recorder(['status'])
  const cli = join(place.home, '.gemini', 'antigravity-cli')
  const soon = new Date(Date.now() + 1000).toISOString()
  const write = (conversation: string, root: string | null) => {
    const path = join(cli, 'brain', conversation, '.system_generated', 'logs', 'transcript_full.jsonl')
    const text = readFixture('antigravity', 'transcript.jsonl', {
      root: root ?? '/elsewhere',
      home: place.home,
      now: soon,
    })
    place.write(path, text)
  }
  write('by-workspace', null)
  write('by-path', place.root)
  write('of-another', null)
  const history = [
    { display: 'x', timestamp: 1, workspace: place.root, conversationId: 'by-workspace' },
    { display: 'y', timestamp: 2, workspace: `${place.root}-other`, conversationId: 'of-another' },
  ]
  place.write(join(cli, 'history.jsonl'), history.map(line => `${JSON.stringify(line)}\n`).join(''))
  await place.recorder(['send'])
  expect(sentBy('by-workspace')).toMatchObject([{ prompt: 'Draw a map', recorder_source: 'transcript' }])
  expect(sentBy('by-path')).toMatchObject([{ prompt: 'Draw a map' }])
  expect(sentBy('of-another')).toEqual([])
})
