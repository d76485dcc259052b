// Unusual forms of a payload: older versions of a tool, subagents, models that change, other machines' paths.
import { describe, expect, test } from 'bun:test'
import type { Notes } from '../spool/notes.ts'
import { isInside } from './cursor/cursor.ts'
import { tools } from './find-tool.ts'
import { openText } from './testing/open-text.ts'
import type { Payload, Surroundings, ToolName, TranscriptLine } from './tool.ts'
import { createTranscripts } from './transcripts.ts'

const now = new Date('2026-03-01T05:03:07.512Z')

function createMemory(): Notes {
  const values = new Map<string, Record<string, unknown>>()
  return {
    read: key => values.get(key) ?? null,
    write: (key, value) => void values.set(key, { ...value }),
    readAll: () => [],
  }
}

/** `transcripts`: path → its lines. */
function surround(transcripts: Readonly<Record<string, readonly TranscriptLine[]>> = {}): Surroundings {
  const readText = (path: string) =>
    (transcripts[path.replaceAll('\\', '/')] ?? []).map(line => `${JSON.stringify(line)}\n`).join('')
  return {
    now,
    home: '/home/s',
    workingFolder: '/code/project',
    environment: {},
    readText: () => null,
    transcripts: createTranscripts((path, use) => use(openText(readText(path)))),
  }
}

function map(tool: ToolName, event: string, payload: Payload, transcripts = {}, notes = createMemory()) {
  return tools[tool].mapEvent(event, payload, surround(transcripts), notes)
}

/** What the transcript provides for an entry of the time `now`, once it has these lines. */
function completeLater(
  tool: ToolName,
  event: string,
  lines: readonly TranscriptLine[],
  summary: string | null = null,
) {
  const { late } = tools[tool]
  const kept = lines.map(line => late?.digest(line) ?? null).filter(line => line !== null)
  return late?.complete({ event, ts: now.getTime(), sessionId: 's', summary }, kept)
}

const answer = (model: string, at: string, text = 'done', stop_reason: string | null = 'end_turn') => ({
  type: 'assistant',
  timestamp: at,
  message: { role: 'assistant', model, content: [{ type: 'text', text }], stop_reason },
})

describe('claude', () => {
  const payload = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/code/project' }

  test('the model that was said last counts: by the start of the session or by an answer since', () => {
    const notes = createMemory()
    map('claude', 'SessionStart', { ...payload, model: 'at-start' }, {}, notes)
    const modelWith = (lines: readonly TranscriptLine[]) =>
      map('claude', 'UserPromptSubmit', payload, { '/t.jsonl': lines }, notes).fields.model
    expect(modelWith([])).toBe('at-start')
    expect(modelWith([answer('before', '2026-03-01T04:00:00Z')])).toBe('at-start')
    expect(modelWith([answer('since', '2026-03-01T06:00:00Z')])).toBe('since')
    expect(modelWith([answer('<synthetic>', '2026-03-01T06:00:00Z')])).toBe('at-start')
  })

  test('a tool call of a subagent has the model of the subagent, or none', () => {
    const path = '/t/subagents/agent-a1.jsonl'
    const call = { ...payload, agent_id: 'a1', tool_name: 'Read', tool_input: {}, tool_response: 'x' }
    const main = { '/t.jsonl': [answer('large', '2026-03-01T05:00:00Z')] }
    const modelWith = (transcripts: object) => map('claude', 'PostToolUse', call, transcripts).fields.model
    expect(modelWith({ ...main, [path]: [answer('small', '2026-03-01T05:00:00Z')] })).toBe('small')
    expect(modelWith(main)).toBeNull()
  })

  test('a transcript that lags behind gives no reason for stopping', () => {
    const lines = [answer('large', '2026-03-01T05:00:00Z', 'an earlier answer', 'tool_use')]
    const stop = { ...payload, last_assistant_message: 'the real answer' }
    expect(map('claude', 'Stop', stop, { '/t.jsonl': lines }).fields).toMatchObject({
      response_summary: 'the real answer',
      stop_reason: null,
    })
    expect(map('claude', 'Stop', payload, { '/t.jsonl': lines }).fields.response_summary).toBe(
      'an earlier answer',
    )
  })
})

describe('copilot', () => {
  test('older versions: arguments as JSON text, failures as results, names in capitals', () => {
    const older = {
      session_id: 's',
      timestamp: '2026-03-01T05:00:00.000Z',
      tool_name: 'Bash',
      tool_input: { command: 'x' },
      tool_result: { result_type: 'denied', text_result_for_llm: 'not allowed' },
    }
    expect(map('copilot', 'postToolUse', older)).toMatchObject({
      ts: new Date('2026-03-01T05:00:00.000Z'),
      sessionId: 's',
      fields: {
        tool_name: 'Bash',
        tool_input: { command: 'x' },
        tool_response: 'not allowed',
        tool_error: 'not allowed',
      },
    })
    expect(map('copilot', 'postToolUse', { toolArgs: 'no JSON' }).fields.tool_input).toBe('no JSON')
  })

  test('an invalid time is not used', () => {
    for (const timestamp of ['soon', -1, null, {}]) {
      expect(map('copilot', 'sessionEnd', { timestamp }).ts).toEqual(now)
    }
  })

  test('while the last words on the disk call a tool, the answer is not there yet', () => {
    const line = (type: string, at: string, data: object) => ({ type, timestamp: at, data })
    const lines = [
      line('user.message', '2026-03-01T05:00:00Z', { content: 'first' }),
      line('assistant.message', '2026-03-01T05:00:01Z', { content: 'answer to the first', toolRequests: [] }),
      line('user.message', '2026-03-01T05:02:00Z', { content: 'second' }),
      line('assistant.message', '2026-03-01T05:02:01Z', {
        content: 'I look',
        toolRequests: [{ name: 'view' }],
      }),
    ]
    const payload = {
      sessionId: 's',
      timestamp: now.getTime(),
      transcriptPath: '/e.jsonl',
      stopReason: 'end_turn',
    }
    const stopped = map('copilot', 'agentStop', payload, { '/e.jsonl': lines })
    expect(stopped.fields.response_summary).toBeNull()
    expect(stopped.completeFrom).toBe('/e.jsonl')
    const after = [
      ...lines,
      line('assistant.message', '2026-03-01T05:03:07.600Z', { content: 'answer to the second' }),
      line('user.message', '2026-03-01T05:04:00Z', { content: 'third' }),
      line('assistant.message', '2026-03-01T05:04:01Z', { content: 'answer to the third', model: 'm' }),
    ]
    expect(completeLater('copilot', 'agentStop', after)).toMatchObject({
      response_summary: 'answer to the second',
    })
  })
})

test('gemini: an error without a message, a plain text, and an empty prompt', () => {
  const call = { tool_name: 'x', tool_response: { llmContent: 'text', error: { type: 'odd' } } }
  expect(map('gemini', 'AfterTool', call).fields).toMatchObject({
    tool_response: 'text',
    tool_error: '{"type":"odd"}',
  })
  expect(map('gemini', 'BeforeAgent', { prompt: '' }).fields.prompt).toBe('')
})

test('gemini: an answer that the chat file does not have is the one of the hook, and marked', () => {
  const payload = {
    transcript_path: '/chat.jsonl',
    prompt_response: 'Second answer. answer.',
    timestamp: '2026-03-01T05:03:07.512Z',
  }
  const line = (type: string, content: unknown) => ({ type, content, timestamp: '2026-03-01T05:03:00Z' })
  const earlier = [line('user', 'first'), line('gemini', 'First answer.')]
  const reported = { response_summary: 'Second answer. answer.', recorder_doubtful: ['response_summary'] }
  expect(map('gemini', 'AfterAgent', payload).fields).toMatchObject(reported)
  expect(map('gemini', 'AfterAgent', payload, { '/chat.jsonl': earlier }).fields).toMatchObject(reported)
  const whole = [...earlier, line('user', 'second'), line('gemini', 'Second answer.'), line('gemini', '')]
  const { fields } = map('gemini', 'AfterAgent', payload, { '/chat.jsonl': whole })
  expect([fields.response_summary, fields.recorder_doubtful]).toEqual(['Second answer.', undefined])
})

describe('folders', () => {
  test('cursor: the root that holds the file, also on Windows', () => {
    const payload = {
      workspace_roots: ['/c:/Users/s/other', '/c:/Users/s/project'],
      tool_input: { file_path: 'c:\\Users\\s\\project\\a.ts' },
    }
    expect(tools.cursor.findFolders(payload, surround())[0]).toBe('c:/Users/s/project')
    expect(tools.cursor.findFolders({}, surround())).toContain('/code/project')
  })

  test('antigravity: the workspace whose hooks file it is', () => {
    const payload = { workspacePaths: ['/code/other', '/code/project'] }
    const inside = { ...surround(), workingFolder: '/code/project/.agents' }
    expect(tools.antigravity.findFolders(payload, inside)[0]).toBe('/code/project')
    expect(tools.antigravity.findFolders({ workspacePaths: [] }, inside)).toEqual(['/code/project/.agents'])
  })

  test.each([
    ['/code/project', '/code/project', true],
    ['/code/project/a', '/code/project/', true],
    ['/code/project-b', '/code/project', false],
    ['C:\\code\\project\\a', 'C:/code/project', true],
  ])('%s in %s', (path, root, expected) => {
    expect(isInside(path, root)).toBe(expected)
  })
})
