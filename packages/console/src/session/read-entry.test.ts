// Entries of different tools are read as prompts, answers, tool use and events.
import { expect, test } from 'bun:test'
import { readEntry } from './read-entry.ts'

test('prompts, answers and plain events', () => {
  expect(readEntry({ event: 'UserPromptSubmit', prompt: 'Hi' })).toEqual({
    kind: 'prompt',
    text: 'Hi',
    isAutomatic: false,
  })
  for (const name of ['task-notification', 'subagent_notification'])
    expect(readEntry({ prompt: `<${name}>\n…` })).toMatchObject({ kind: 'prompt', isAutomatic: true })
  expect(readEntry({ prompt: 'What is a <task-notification>?' })).toMatchObject({ isAutomatic: false })
  expect(readEntry({ event: 'Stop', response_summary: 'Done', stop_reason: 'end_turn' })).toEqual({
    kind: 'answer',
    text: 'Done',
    stop: 'end_turn',
  })
  expect(readEntry({ event: 'SessionStart', prompt: '' })).toEqual({ kind: 'event', text: null })
})

test('a failed tool is marked, with its input', () => {
  expect(
    readEntry({
      tool_name: 'Bash',
      tool_input: { command: 'npm test\n--watch' },
      tool_response: { exit_code: 1, stdout: 'no' },
    }),
  ).toMatchObject({ ask: 'npm test', body: 'no', isFailed: true, exitCode: 1, isStart: false })
  expect(readEntry({ tool_name: 'Bash', tool_input: { command: ['ls', '-l'] } })).toMatchObject({
    ask: 'ls -l',
    body: null,
    isFailed: false,
    isStart: true,
  })
  expect(readEntry({ tool_name: 'Read', tool_error: 'no such file' })).toMatchObject({
    body: 'no such file',
    isFailed: true,
  })
})

test('an edit is shown as a diff', () => {
  expect(
    readEntry({
      tool_name: 'Edit',
      tool_input: { file_path: 'a.ts', old_string: 'one\ntwo\nthree', new_string: 'one\n2\nthree' },
      tool_response: 'ok',
    }),
  ).toMatchObject({
    ask: 'a.ts',
    diff: [
      { sign: ' ', text: 'one' },
      { sign: '-', text: 'two' },
      { sign: '+', text: '2' },
      { sign: ' ', text: 'three' },
    ],
  })
  expect(
    readEntry({
      tool_name: 'Bash',
      tool_input: { command: "apply_patch <<'EOP'\n*** Begin Patch\n+new\n*** End Patch\nEOP" },
    }),
  ).toMatchObject({ ask: "apply_patch <<'EOP'", diff: { 2: { sign: '+', text: 'new' } } })
  expect(
    readEntry({ tool_name: 'apply_patch', tool_input: '*** Begin Patch\n-old\n+new\n*** End Patch' }),
  ).toMatchObject({
    diff: [
      { sign: ' ', text: '*** Begin Patch' },
      { sign: '-', text: 'old' },
      { sign: '+', text: 'new' },
      { sign: ' ', text: '*** End Patch' },
    ],
  })
})

test('output that a recorder sent as JSON is shown as text, even if it is cut', () => {
  const bodyOf = (tool_response: unknown) => {
    const read = readEntry({ tool_name: 'Bash', tool_input: { command: 'x' }, tool_response })
    return read.kind === 'tool' ? read.body : null
  }
  const whole = '{"stdout":"12 pass\\n0 fail \\"x\\"\\n","stderr":"","interrupted":false}'
  expect(bodyOf(whole)).toBe('12 pass\n0 fail "x"\n')
  // Cut in a text, in an escape, behind a name, and in a number.
  expect(bodyOf(whole.slice(0, 21))).toBe('12 pass\n0')
  expect(bodyOf(whole.slice(0, 19))).toBe('12 pass')
  for (const end of [50, 55, 60, 70]) expect(bodyOf(whole.slice(0, end))).toStartWith('12 pass\n0 fail "x"')
  expect(bodyOf('{"stdout":"","stderr":"","interrupted":false}')).toBeNull()
  expect(bodyOf('{"type":"text","file":{"filePath":"a.ts","content":"1\\tone\\n2\\ttwo"')).toBe(
    '1\tone\n2\ttwo',
  )
  expect(bodyOf('[{"type":"text","text":"one\\ntwo"},{"type":"text","text":"three"}]')).toBe(
    'one\ntwo\nthree',
  )
  expect(bodyOf('{"content":[{"type":"text","text":"one\\ntwo"}],"totalTokens":5}')).toBe('one\ntwo')
  expect(bodyOf({ filePath: 'a.ts', originalFile: 'one\ntwo', hunks: [{ lines: ['+a', '-b'] }] })).toBe(
    'filePath: a.ts\noriginalFile:\n  one\n  two\nhunks:\n  -\n    lines:\n      - +a\n      - -b',
  )
  // What a command printed stays as it is.
  for (const printed of ['{\n  "name": "x"\n}\n', '[ok] 3 files', '{not json}', '[1/2] build'])
    expect(bodyOf(printed)).toBe(printed)
  expect(readEntry({ tool_name: 'Shell', tool_response: '{"output":"a\\n","exitCode":2}' })).toMatchObject({
    body: 'a\n',
    exitCode: 2,
    isFailed: true,
  })
})
