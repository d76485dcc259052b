// Copilot's main agent and its subagents write into one transcript. Each entry gets the answer and the model of its own agent, or none.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeLogbook, startFakeLogbook } from './testing/fake-logbook.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

const [main, helper, other] = ['c1111111-main', 'c2222222-helper', 'c3333333-other']

let place: WorkPlace
let logbook: FakeLogbook
let transcript = ''

beforeAll(async () => {
  logbook = startFakeLogbook()
  place = await createWorkPlace()
  place.connect(logbook.url, 'aitc_token')
  transcript = join(place.home, '.copilot', 'session-state', main, 'events.jsonl')
})
afterAll(async () => {
  await logbook.stop()
  place.remove()
})

/** A line at a given second of the session. Lines of the main agent have no `agentId`. */
function line(second: number, type: string, data: object, agentId?: string): string {
  const timestamp = new Date(Date.UTC(2026, 2, 1, 5, 0, second)).toISOString()
  return `${JSON.stringify({ type, data, id: `${second}`, timestamp, ...(agentId === undefined ? {} : { agentId }) })}\n`
}

const said = (content: string, model: string, tools: readonly string[] = []) => ({
  content,
  model,
  toolRequests: tools.map(name => ({ name })),
})

/** The hook of an agent at a given second of the session. */
async function hook(event: string, second: number, sessionId: string, more: object = {}): Promise<void> {
  const ofHelper = { agentId: sessionId, agentType: 'general-purpose', parentAgentId: main }
  const ofEnd = { transcriptPath: transcript, stopReason: 'end_turn', stop_hook_active: false }
  await place.event('copilot', event, {
    sessionId,
    timestamp: Date.UTC(2026, 2, 1, 5, 0, second),
    cwd: place.root,
    ...(sessionId === main ? {} : ofHelper),
    ...(event === 'agentStop' ? ofEnd : {}),
    ...more,
  })
}

test('a subagent at work within a turn of the main agent', async () => {
  place.write(
    transcript,
    [
      line(0, 'session.start', { sessionId: main, selectedModel: 'large' }),
      line(1, 'user.message', { content: 'Let a helper look' }),
      line(2, 'assistant.message', said('I ask a helper.', 'large', ['task'])),
      line(3, 'session.model_change', { newModel: 'small' }, helper),
      line(4, 'user.message', { content: 'Look' }, helper),
    ].join(''),
  )
  await hook('userPromptSubmitted', 4, helper, { prompt: 'Look' })
  await hook('postToolUse', 5, helper, { toolName: 'bash', toolArgs: {}, toolResult: {} })
  // Its last answer is not on disk yet, and the main agent's answer must not take its place.
  await hook('agentStop', 6, helper)
  await hook('agentStop', 6, other)
  appendFileSync(
    transcript,
    [
      line(6, 'assistant.message', said('The helper found it.', 'small'), helper),
      line(8, 'assistant.message', said('All done.', 'large')),
    ].join(''),
  )
  await hook('agentStop', 9, helper)
  await hook('agentStop', 9, main)
  // Some versions do not name the agent. Then its session differs from the one that the transcript belongs to.
  await hook('agentStop', 10, helper, { agentId: undefined, parentAgentId: undefined })
  const waiting = place.pending().map(({ response_summary }) => response_summary ?? null)
  expect(waiting).toEqual([
    null,
    null,
    null,
    null,
    'The helper found it.',
    'All done.',
    'The helper found it.',
  ])

  await place.verb(['send'])
  const sent = logbook.entries().map(entry => [entry.session_id, entry.model, entry.response_summary ?? null])
  expect(sent).toEqual([
    [helper, 'small', null],
    [helper, 'small', null],
    [helper, 'small', 'The helper found it.'],
    [other, null, null],
    [helper, 'small', 'The helper found it.'],
    [main, 'large', 'All done.'],
    [helper, 'small', 'The helper found it.'],
  ])
})
