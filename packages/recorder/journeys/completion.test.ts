// What a tool writes to its transcript only after the hook has run: taken in before the entry is first sent, and never after.
import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, rmSync } from 'node:fs'
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
  await place.event('copilot', 'agentStop', readFixture('copilot', 'agentStop.json', { ...place, now: '' }))
  expect(place.pending()).toMatchObject([{ response_summary: null, stop_reason: 'end_turn' }])
  appendFileSync(transcript, lines.slice(4).join('\n'))
  await place.verb(['send'])
  expect(sentBy(session)).toMatchObject([{ response_summary: 'The issue is open.', model: 'model-second-2' }])
})

test("Claude Code's first prompt learns the model from the answer that followed; after a first sending nothing changes", async () => {
  const place = await connectedPlace()
  const transcript = join(place.home, '.claude', 'projects', 'p', 'c1.jsonl')
  const payload = { session_id: 'c1', cwd: place.root, transcript_path: transcript, prompt: 'hello' }
  place.write(transcript, '')
  await place.event('claude', 'UserPromptSubmit', payload)
  await place.event('claude', 'UserPromptSubmit', { ...payload, session_id: 'c2' })
  logbook.behave(() => new Response('', { status: 500 }))
  await place.verb(['send'])
  const message = { role: 'assistant', model: 'model-late', content: [], stop_reason: 'end_turn' }
  appendFileSync(
    transcript,
    `${JSON.stringify({ type: 'assistant', timestamp: new Date().toISOString(), message })}\n`,
  )
  await place.event('claude', 'Stop', { ...payload, session_id: 'c3' })
  logbook.behave(() => null)
  await place.verb(['send'])
  // It might be in the logbook already: the first sending got no answer that says otherwise.
  expect(sentBy('c1')).toMatchObject([{ model: null }])
  expect(sentBy('c3')).toMatchObject([{ model: 'model-late' }])

  const fresh = {
    ...payload,
    session_id: 'c4',
    transcript_path: join(place.home, '.claude', 'projects', 'p', 'c4.jsonl'),
  }
  await place.event('claude', 'UserPromptSubmit', fresh)
  place.write(
    fresh.transcript_path,
    `${JSON.stringify({ type: 'assistant', timestamp: new Date().toISOString(), message })}\n`,
  )
  await place.verb(['send'])
  expect(sentBy('c4')).toMatchObject([{ model: 'model-late' }])
})

/** Lines of a Claude Code transcript, some seconds from a moment (Unix ms). */
const lineAt = (seconds: number, type: string, message: object, from = Date.now()) => {
  const timestamp = new Date(from + seconds * 1000).toISOString()
  return `${JSON.stringify({ type, timestamp, message: { role: type, ...message } })}\n`
}
const said = (
  seconds: number,
  model: string,
  text: string,
  stop_reason: string | null,
  { id = text, from = Date.now() } = {},
) => lineAt(seconds, 'assistant', { id, model, content: [{ type: 'text', text }], stop_reason }, from)
const largeOutput = (megabytes: number) =>
  lineAt(-20, 'user', { content: [{ type: 'tool_result', content: 'x'.repeat(megabytes * 1024 * 1024) }] })

test('Claude Code: why a turn ended is found by its text, in lines that came after the hook', async () => {
  const place = await connectedPlace()
  const folder = join(place.home, '.claude', 'projects', 'p')
  const transcript = join(folder, 'd1.jsonl')
  const payload = { session_id: 'd1', cwd: place.root, transcript_path: transcript }
  const agent = { agent_id: 'a1', agent_transcript_path: join(folder, 'd1', 'subagents', 'agent-a1.jsonl') }
  place.write(transcript, said(-60, 'model-a', 'I look first.', 'tool_use'))
  place.write(agent.agent_transcript_path, '')
  const long = `${'All is well. '.repeat(400)}Really.`
  // On a slow machine the hooks alone take seconds: what was said before them is dated from here.
  const from = Date.now()
  await place.event('claude', 'Stop', { ...payload, last_assistant_message: long })
  await place.event('claude', 'Stop', { ...payload, last_assistant_message: 'Done.\n\nTwice.' })
  await place.event('claude', 'Stop', { ...payload, last_assistant_message: 'Never written.' })
  await place.event('claude', 'SubagentStop', { ...payload, ...agent, last_assistant_message: 'Found it.' })
  expect(place.pending().map(({ stop_reason }) => stop_reason)).toEqual([null, null, null, null])
  appendFileSync(agent.agent_transcript_path, said(-1, 'model-small', 'Found it.', 'max_tokens', { from }))
  appendFileSync(
    transcript,
    [
      said(-3, 'model-a', long, 'end_turn', { from }),
      // One message spans two lines, and only the second says how it ended.
      said(-2, 'model-a', 'Done.', null, { id: 'm2', from }),
      said(-2, 'model-a', 'Twice.', 'stop_sequence', { id: 'm2', from }),
      said(5, 'model-b', 'In a later turn.', 'refusal'),
      // A later turn again.
      said(6, 'model-b', 'Never written.', 'refusal'),
    ].join(''),
  )
  await place.verb(['send'])
  expect(sentBy('d1')).toMatchObject([
    { event: 'Stop', model: 'model-a', stop_reason: 'end_turn' },
    { event: 'Stop', model: 'model-a', stop_reason: 'stop_sequence' },
    { event: 'Stop', model: 'model-a', stop_reason: null },
    { event: 'SubagentStop', model: 'model-small', stop_reason: 'max_tokens' },
  ])
})

test('Claude Code: the model is that of the last record before the event, behind outputs of megabytes too', async () => {
  const place = await connectedPlace()
  const transcript = join(place.home, '.claude', 'projects', 'p', 'e1.jsonl')
  const payload = { session_id: 'e1', cwd: place.root, transcript_path: transcript }
  const call = { ...payload, tool_name: 'Bash', tool_input: {}, tool_response: 'x' }
  await place.event('claude', 'SessionStart', { ...payload, source: 'startup', model: 'model-start' })
  place.write(transcript, said(30, 'model-changed', 'I look.', 'tool_use') + largeOutput(2))
  await place.event('claude', 'PostToolUse', call)
  expect(place.pending().at(-1)).toMatchObject({ model: 'model-changed' })
  // Further back than a hook looks: nothing is said until the entry is sent.
  place.write(transcript, said(-30, 'model-before', 'I look.', 'tool_use') + largeOutput(5))
  await place.event('claude', 'PostToolUse', call)
  await place.event('claude', 'UserPromptSubmit', { ...payload, prompt: 'And now?' })
  expect(place.pending().at(-1)).toMatchObject({ model: null })
  appendFileSync(transcript, said(5, 'model-after', 'Now this.', 'end_turn'))
  await place.verb(['send'])
  const models = sentBy('e1').map(({ event, model }) => `${event} ${model}`)
  expect(models).toEqual([
    'SessionStart model-start',
    'PostToolUse model-changed',
    'PostToolUse model-before',
    'UserPromptSubmit model-before',
  ])
})

test('Gemini: the model is that of the last record before the event; the first prompt has that of its answer', async () => {
  const place = await connectedPlace()
  const transcript = join(place.home, '.gemini', 'tmp', 'p', 'chats', 'session-1.jsonl')
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
  const record = (seconds: number, type: string, more: object) =>
    `${JSON.stringify({ id: '1', timestamp: at(seconds), type, ...more })}\n`
  const payload = { session_id: 'g1', cwd: place.root, transcript_path: transcript, timestamp: at(0) }
  place.write(transcript, record(-90, 'user', { content: 'hello' }))
  await place.event('gemini', 'BeforeAgent', { ...payload, timestamp: at(-90), prompt: 'hello' })
  appendFileSync(transcript, record(-60, 'gemini', { model: 'model-before', content: '' }))
  appendFileSync(transcript, record(-50, 'info', { content: 'x'.repeat(5 * 1024 * 1024) }))
  await place.event('gemini', 'AfterTool', { ...payload, tool_name: 'read_file', tool_input: {} })
  appendFileSync(transcript, record(5, 'gemini', { model: 'model-after', content: 'done' }))
  await place.verb(['send'])
  expect(sentBy('g1').map(({ event, model }) => `${event} ${model}`)).toEqual([
    'BeforeAgent model-before',
    'AfterTool model-before',
  ])
})

test('an entry that waited in the home folder is completed too', async () => {
  const place = await connectedPlace()
  const transcript = join(place.home, '.claude', 'projects', 'p', 'h1.jsonl')
  const payload = { session_id: 'h1', cwd: place.root, transcript_path: transcript, prompt: 'hello' }
  place.write(transcript, '')
  // A file where the folder of waiting entries belongs: nothing can be put there, not even by root.
  const { pending } = place.spool().layout
  rmSync(pending, { recursive: true })
  place.write(pending, '')
  await place.event('claude', 'UserPromptSubmit', payload)
  rmSync(pending)
  appendFileSync(transcript, said(1, 'model-late', 'Hello.', 'end_turn'))
  await place.verb(['send'])
  expect(sentBy('h1')).toMatchObject([{ model: 'model-late' }])
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
  await place.event('antigravity', 'PreInvocation', payload)
  appendFileSync(transcript, step(1, 'first'))
  await place.event('antigravity', 'PreInvocation', payload)
  await place.event('antigravity', 'PreInvocation', payload)
  appendFileSync(transcript, step(5, 'second'))
  await place.verb(['send'])
  await place.verb(['send'])
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
  await place.verb(['status'])
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
  await place.verb(['send'])
  expect(sentBy('by-workspace')).toMatchObject([{ prompt: 'Draw a map', recorder_source: 'transcript' }])
  expect(sentBy('by-path')).toMatchObject([{ prompt: 'Draw a map' }])
  expect(sentBy('of-another')).toEqual([])
})
