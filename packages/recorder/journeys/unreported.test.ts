// What a tool did without calling a hook: taken from its transcript, with the time at which it happened, and once.
import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { RecorderMark } from '../src/spool/numbering.ts'
import { startFakeLogbook } from './testing/fake-logbook.ts'
import { runEvent, runVerb } from './testing/run-in-process.ts'
import { createWorkPlace, type WorkPlace } from './testing/work-place.ts'

const places: WorkPlace[] = []
const logbook = startFakeLogbook()
afterAll(async () => {
  await logbook.stop()
  for (const place of places) place.remove()
})

/** In the order of the recorder's numbers: a hook gives all its entries the same name but for chance. */
const sentBy = (session: string) =>
  logbook
    .entries()
    .filter(({ session_id }) => session_id === session)
    .sort((left, right) => numberOf(left) - numberOf(right))
const numberOf = ({ recorder }: Record<string, unknown>) => Number((recorder as RecorderMark).n)
const writeLines = (path: string, ...lines: object[]) =>
  appendFileSync(path, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000)

/** A session of Codex, and the lines that it writes to its rollout. */
async function startCodex(session: string) {
  const place = await createWorkPlace()
  places.push(place)
  place.connect(logbook.url, 'aitc_token')
  const rollout = join(place.home, '.codex', 'sessions', `rollout-${session}.jsonl`)
  place.write(rollout, '')
  const payload = { session_id: session, cwd: place.root, transcript_path: rollout, model: 'model-a' }
  await place.event('codex', 'UserPromptSubmit', { ...payload, prompt: 'Do it.' })
  const write = (type: string, item: object, at = new Date()) =>
    writeLines(rollout, { timestamp: at.toISOString(), type, payload: item })
  return {
    ...place,
    rollout,
    payload,
    turn: (model: string) => write('turn_context', { model }),
    call: (id: string, cmd: string, name = 'exec_command', more: object = {}) =>
      write('response_item', {
        type: 'function_call',
        name,
        ...more,
        arguments: JSON.stringify({ cmd }),
        call_id: id,
      }),
    output: (id: string, output: string, at?: Date) =>
      write('response_item', { type: 'function_call_output', call_id: id, output }, at),
    item: (item: object, at: Date) => {
      const ended = { type: 'item_completed', item, completed_at_ms: at.getTime() }
      write('event_msg', ended, secondsFromNow(60))
    },
    reported: (id: string, command: string) => {
      const call = { tool_name: 'Bash', tool_input: { command }, tool_response: 'reported', tool_use_id: id }
      return place.event('codex', 'PostToolUse', { ...payload, ...call })
    },
    stop: () => place.event('codex', 'Stop', { ...payload, last_assistant_message: 'Done.' }),
  }
}

const running = 'Chunk ID: 1\nWall time: 0.3 seconds\nProcess running with session ID 7\nOutput:\nbegin\n'
const ranCommand = (id: string, command: string, more: object = {}) => ({
  type: 'CommandExecution',
  id,
  command: ['/bin/bash', '-lc', command],
  source: 'unified_exec_startup',
  status: 'completed',
  aggregated_output: 'begin\nend\n',
  exit_code: 0,
  ...more,
})

test('Codex: an edit in a command, a refused call and a failed edit are recorded when the turn ends', async () => {
  const { turn, call, output, item, reported, stop, verb, pending } = await startCodex('x1')
  const [edited, refused] = [secondsFromNow(1), secondsFromNow(2)]
  turn('model-b')
  call('call_1', "apply_patch <<'EOP' …")
  const done = { status: 'completed', stdout: 'Success. Updated a.txt\n', stderr: '' }
  item(
    { type: 'FileChange', id: 'call_1', changes: { 'a.txt': { type: 'add', content: 'a' } }, ...done },
    edited,
  )
  output('call_1', 'Wall time: 0 seconds\nOutput:\nExit code: 0\nOutput:\nSuccess. Updated a.txt\n')
  call('call_2', 'make')
  item(ranCommand('call_2', 'make'), secondsFromNow(1))
  await reported('call_2', 'make')
  output('call_2', 'Chunk ID: 1\nProcess exited with code 0\nOutput:\nbegin\nend\n')
  call('call_3', 'rm -r /')
  output('call_3', 'patch rejected: not allowed', refused)
  call('call_4', '', 'no_such_tool')
  output('call_4', 'unsupported call: no_such_tool', refused)
  call('call_5', '', 'forecast', { namespace: 'mcp__weather' })
  output('call_5', 'No such city', refused)
  await stop()
  expect(pending()).toHaveLength(7)
  await verb(['send'])
  await verb(['send'])
  const calls = sentBy('x1').filter(({ event }) => event === 'PostToolUse')
  expect(calls).toMatchObject([
    { tool_name: 'Bash', tool_input: { command: 'make' }, tool_response: 'reported', model: 'model-a' },
    {
      tool_name: 'Bash',
      tool_input: { command: "apply_patch <<'EOP' …" },
      tool_response: 'Success. Updated a.txt\n',
      tool_error: null,
      model: 'model-b',
      recorder_source: 'transcript',
    },
    { tool_input: { command: 'rm -r /' }, tool_response: 'patch rejected: not allowed' },
    { tool_name: 'no_such_tool', tool_response: 'unsupported call: no_such_tool' },
    // As a hook names it.
    { tool_name: 'mcp__weather__forecast', tool_response: 'No such city' },
  ])
  expect(calls.map(({ ts }) => Date.parse(String(ts))).slice(1, 3)).toEqual([edited, refused].map(Number))
})

test('Codex: a command that goes on in the background is recorded when it has ended, a later turn and a push in between', async () => {
  const { call, output, item, stop, verb } = await startCodex('x2')
  call('call_1', 'serve')
  output('call_1', running)
  call('call_2', '', 'write_stdin')
  output('call_2', running)
  await stop()
  await verb(['send'])
  expect(sentBy('x2').map(({ event }) => event)).toEqual(['UserPromptSubmit', 'Stop'])
  const ended = secondsFromNow(5)
  item(ranCommand('call_1', 'serve', { status: 'failed', exit_code: -1 }), ended)
  // The user's own command.
  item(ranCommand('own', 'ls', { source: 'user_shell' }), ended)
  await verb(['send'])
  expect(sentBy('x2').slice(2)).toMatchObject([
    { tool_name: 'Bash', tool_input: { command: 'serve' }, tool_response: 'begin\nend\n', model: 'model-a' },
  ])
})

test('Codex: a push that is faster than the hook records the call, and the hook does not do so again', async () => {
  const { call, item, output, reported, stop, verb } = await startCodex('x3')
  call('call_1', 'make')
  item(ranCommand('call_1', 'make'), secondsFromNow(1))
  await verb(['send'])
  await reported('call_1', 'make')
  output('call_1', 'Process exited with code 0')
  // A model may give two calls the same id.
  await reported('call_0', 'first')
  await reported('call_0', 'second')
  await Promise.all([stop(), verb(['send'])])
  await verb(['send'])
  const calls = sentBy('x3').filter(({ event }) => event === 'PostToolUse')
  const told = calls.map(({ tool_input, recorder_source }) => [tool_input, recorder_source ?? 'hook'])
  expect(told).toEqual([
    [{ command: 'make' }, 'transcript'],
    [{ command: 'first' }, 'hook'],
    [{ command: 'second' }, 'hook'],
  ])
})

test('ignores what was in the transcript before the recorder knew it, and a transcript that vanished', async () => {
  const { call, item, stop, verb, rollout, payload, event, pending } = await startCodex('x4')
  const older = join(rollout, '..', 'older.jsonl')
  const line = { type: 'event_msg', payload: { type: 'item_completed', item: ranCommand('old', 'old') } }
  writeLines(older, { timestamp: secondsFromNow(9).toISOString(), ...line })
  await event('codex', 'Stop', { ...payload, session_id: 'x5', transcript_path: older })
  expect(pending()).toHaveLength(2)
  call('call_1', 'make')
  renameSync(rollout, `${rollout}.gone`)
  await stop()
  await verb(['send'])
  renameSync(`${rollout}.gone`, rollout)
  item(ranCommand('call_1', 'make'), secondsFromNow(1))
  await verb(['send'])
  expect(sentBy('x4').map(({ event: name }) => name)).toEqual(['UserPromptSubmit', 'Stop', 'PostToolUse'])
  expect(sentBy('x5')).toHaveLength(1)
})

/** Lines of a transcript of Claude Code: a call, and its result. */
const called = (id: string, name: string, input: object, cwd: string) => ({
  type: 'assistant',
  timestamp: new Date().toISOString(),
  cwd,
  message: { model: 'model-a', content: [{ type: 'tool_use', id, name, input }] },
})
const answered = (id: string, content: unknown, cwd: string, is_error = true, at = new Date()) => ({
  type: 'user',
  timestamp: at.toISOString(),
  cwd,
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
})

test('Claude Code: a refused edit, an unknown tool and what the user stopped are recorded as failures, once', async () => {
  const place = await createWorkPlace()
  places.push(place)
  place.connect(logbook.url, 'aitc_token')
  const { root, event, verb, home } = place
  const folder = join(home, '.claude', 'projects', 'p')
  const [transcript, helper] = [join(folder, 'y1.jsonl'), join(folder, 'y1', 'subagents', 'agent-a1.jsonl')]
  const payload = { session_id: 'y1', cwd: root, transcript_path: transcript }
  place.write(transcript, '')
  await event('claude', 'UserPromptSubmit', { ...payload, prompt: 'Do it.' })
  const refused = secondsFromNow(2)
  const input = { file_path: 'a.txt', old_string: 'not in it', new_string: 'x' }
  writeLines(
    transcript,
    called('toolu_1', 'Edit', input, root),
    { ...answered('toolu_1', 'a copy in a request', root), type: 'api-request-blob' },
    answered('toolu_1', '<tool_use_error>String to replace not found.</tool_use_error>', root, true, refused),
    called('toolu_2', 'Bash', { command: 'false' }, root),
    answered('toolu_2', 'Exit code 1', root),
    called('toolu_3', 'Bash', { command: 'true' }, root),
    answered('toolu_3', 'fine', root, false),
    called('toolu_4', 'NoSuchTool', {}, root),
    answered('toolu_4', [{ type: 'text', text: 'No such tool available' }], root),
  )
  const failure = { tool_name: 'Bash', tool_input: { command: 'false' }, error: 'Exit code 1' }
  await event('claude', 'PostToolUseFailure', { ...payload, ...failure, tool_use_id: 'toolu_2' })
  // The first that is heard of the subagent is its end.
  place.write(helper, '')
  writeLines(helper, called('toolu_5', 'Edit', {}, root), answered('toolu_5', 'InputValidationError', root))
  const ended = { agent_id: 'a1', agent_transcript_path: helper, last_assistant_message: 'No.' }
  await event('claude', 'SubagentStop', { ...payload, ...ended })
  await event('claude', 'Stop', { ...payload, last_assistant_message: 'Done.' })
  expect(place.pending()).toHaveLength(7)
  // Esc: no hook is run at all.
  writeLines(
    transcript,
    called('toolu_6', 'Bash', { command: 'serve' }, root),
    answered('toolu_6', 'The tool use was rejected.', root),
  )
  const stopped = join(folder, 'y1', 'subagents', 'agent-a2.jsonl')
  place.write(stopped, '')
  writeLines(
    stopped,
    called('toolu_7', 'Bash', { command: 'look' }, root),
    answered('toolu_7', 'Stopped.', root),
  )
  await verb(['send'])
  await event('claude', 'Stop', { ...payload, last_assistant_message: 'Done again.' })
  await verb(['send'])
  const failures = sentBy('y1').filter(({ event: name }) => name === 'PostToolUseFailure')
  const told = failures.map(({ tool_name, tool_error, recorder_source }) => [
    tool_name,
    tool_error,
    recorder_source,
  ])
  expect(told).toEqual([
    ['Bash', 'Exit code 1', undefined],
    ['Edit', 'InputValidationError', 'transcript'],
    ['Edit', '<tool_use_error>String to replace not found.</tool_use_error>', 'transcript'],
    ['NoSuchTool', 'No such tool available', 'transcript'],
    ['Bash', 'The tool use was rejected.', 'transcript'],
    // Of a subagent for which no hook ran.
    ['Bash', 'Stopped.', 'transcript'],
  ])
  expect(failures[2]).toMatchObject({ tool_input: input, tool_response: null, model: 'model-a' })
  expect(Date.parse(String(failures[2]?.ts))).toBe(refused.getTime())
})

test('Claude Code: a call after `cd` into a repository that is set up itself is recorded there, the others in the project', async () => {
  const place = await createWorkPlace()
  places.push(place)
  const inner = join(place.root, 'inner')
  await place.git(['init', '-q', inner])
  await place.git(['remote', 'add', 'origin', 'https://host/team/inner.git'], inner)
  const folders = [place.root, inner].map(root => join(root, '.git', 'fairgate'))
  for (const folder of [place.root, inner])
    await runVerb(['init', '--yes', '--tools', 'claude'], { ...place, folder })
  const transcript = join(place.home, '.claude', 'projects', 'p', 'z1.jsonl')
  place.write(transcript, '')
  // The hooks of the project are run for the whole session.
  const event = async (name: string, cwd: string, more: object) => {
    const payload = { session_id: 'z1', cwd, transcript_path: transcript, ...more }
    const variables = { ...place.variables, CLAUDE_PROJECT_DIR: place.root }
    await runEvent('claude', name, payload, { ...place, variables, folder: cwd }, folders[0])
  }
  await event('UserPromptSubmit', place.root, { prompt: 'Do it.' })
  await event('PostToolUse', inner, { tool_name: 'Bash', tool_use_id: 'toolu_0', tool_response: 'x' })
  for (const [id, cwd] of [
    ['toolu_1', place.root],
    ['toolu_2', inner],
  ] as const)
    writeLines(transcript, called(id, 'Edit', { id }, cwd), answered(id, 'refused', cwd))
  for (const folder of [place.root, inner, place.root]) await runVerb(['send'], { ...place, folder })
  const recorded = folders.map(folder =>
    readdirSync(join(folder, 'pending'))
      .map(name => JSON.parse(readFileSync(join(folder, 'pending', name), 'utf8')))
      .map(({ repo, event: name, tool_input }) => [repo, name, tool_input?.id])
      .sort(),
  )
  expect(recorded).toEqual([
    [
      ['project', 'PostToolUseFailure', 'toolu_1'],
      ['project', 'UserPromptSubmit', undefined],
    ],
    [
      ['inner', 'PostToolUse', undefined],
      ['inner', 'PostToolUseFailure', 'toolu_2'],
    ],
  ])
})

test('Copilot: a command that the user stopped is recorded as a failure, and one that has ended is not', async () => {
  const place = await createWorkPlace()
  places.push(place)
  place.connect(logbook.url, 'aitc_token')
  const transcript = join(place.home, '.copilot', 'session-state', 'z1', 'events.jsonl')
  const write = (type: string, data: object) =>
    writeLines(transcript, { type, data, timestamp: secondsFromNow(1).toISOString() })
  const start = (toolCallId: string, command: string) =>
    write('tool.execution_start', { toolCallId, toolName: 'bash', arguments: { command }, model: 'model-a' })
  const event = (name: string, more: object) =>
    place.event('copilot', name, { sessionId: 'z1', timestamp: Date.now(), cwd: place.root, ...more })
  place.write(transcript, '')
  write('session.start', { sessionId: 'z1', selectedModel: 'model-a' })
  await event('userPromptSubmitted', { prompt: 'Do it.' })
  start('call_1', 'make')
  write('tool.execution_complete', { toolCallId: 'call_1', success: true })
  start('call_2', 'serve')
  write('abort', { reason: 'user_abort' })
  await event('sessionEnd', { reason: 'complete' })
  await place.verb(['send'])
  expect(sentBy('z1')).toMatchObject([
    { event: 'userPromptSubmitted' },
    { event: 'sessionEnd' },
    {
      event: 'postToolUseFailure',
      tool_name: 'bash',
      tool_input: { command: 'serve' },
      tool_error: 'user_abort',
      model: 'model-a',
      recorder_source: 'transcript',
    },
  ])
})

test('Gemini CLI: calls that it refused are recorded each time, and no call that a hook reported', async () => {
  const place = await createWorkPlace()
  places.push(place)
  place.connect(logbook.url, 'aitc_token')
  const transcript = join(place.home, '.gemini', 'tmp', 'project', 'chats', 'session.jsonl')
  place.write(transcript, '')
  const payload = { session_id: 'g1', cwd: place.root, transcript_path: transcript }
  const event = (name: string, more: object) =>
    place.event('gemini', name, { ...payload, timestamp: new Date().toISOString(), ...more })
  const write = (id: string, name: string, args: object, error: string, resultDisplay: string) => {
    const timestamp = secondsFromNow(1).toISOString()
    const result = [{ functionResponse: { id, name, response: { error } } }]
    const call = { id, name, args, result, status: 'error', timestamp, resultDisplay }
    writeLines(transcript, { type: 'gemini', model: 'model-a', timestamp, content: '', toolCalls: [call] })
  }
  await event('BeforeAgent', { prompt: 'Do it.' })
  write('1', 'no_such_tool', {}, 'Tool not found', 'Tool not found')
  write('2', 'no_such_tool', {}, 'Tool not found', 'Tool not found')
  const failed = { llmContent: 'not written', error: { message: 'not written' } }
  for (const [id, name, shown] of [
    ['3', 'write_file', 'not written'],
    ['4', 'replace', 'Error: not written'],
  ] as const) {
    write(id, name, { id }, 'not written', shown)
    await event('AfterTool', { tool_name: name, tool_input: { id }, tool_response: failed })
  }
  await event('AfterAgent', { prompt_response: 'Done.' })
  await place.verb(['send'])
  await place.verb(['send'])
  const calls = sentBy('g1').filter(({ event: kind }) => kind === 'AfterTool')
  expect(calls.map(({ tool_name, recorder_source }) => [tool_name, recorder_source ?? 'hook'])).toEqual([
    ['write_file', 'hook'],
    ['replace', 'hook'],
    ['no_such_tool', 'transcript'],
    ['no_such_tool', 'transcript'],
  ])
  expect(calls.at(-1)).toMatchObject({ tool_error: 'Tool not found', model: 'model-a', tool_input: {} })
})

test('a call whose entry waited in the home folder is not recorded again', async () => {
  const { call, item, reported, spool, write, verb } = await startCodex('x6')
  call('call_1', 'make')
  item(ranCommand('call_1', 'make'), secondsFromNow(1))
  // A file where the folder of waiting entries belongs: nothing can be put there, not even by root.
  const { pending } = spool().layout
  renameSync(pending, `${pending}.aside`)
  write(pending, '')
  await reported('call_1', 'make')
  rmSync(pending)
  renameSync(`${pending}.aside`, pending)
  // Its claim has long been left.
  const { claims } = spool().layout
  for (const name of readdirSync(claims)) utimesSync(join(claims, name), 1, 1)
  await verb(['send'])
  expect(sentBy('x6').slice(1)).toMatchObject([{ tool_response: 'reported' }])
})
