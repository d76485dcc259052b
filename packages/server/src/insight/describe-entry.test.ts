// The summary of an entry in lists, for entries from any source.
import { expect, test } from 'bun:test'
import { maxEntryText } from '@fairgate/contracts/console/logbook.ts'
import { describeEntry } from './describe-entry.ts'

const textOf = (entry: object) => describeEntry(JSON.stringify(entry)).text

test.each<[string, object, string]>([
  ['a prompt', { prompt: 'Fix the  heap\nplease' }, 'Fix the heap please'],
  ['a tool with its command', { tool_name: 'Bash', tool_input: { command: 'npm test' } }, 'Bash npm test'],
  ['a tool with a list', { tool_name: 'shell', tool_input: { command: ['ls', '-l'] } }, 'shell ["ls","-l"]'],
  [
    'a tool with a path',
    { tool_name: 'Edit', tool_input: { old_string: 'x', file_path: 'a.ts' } },
    'Edit a.ts',
  ],
  ['a tool with some text', { tool_name: 'Odd', tool_input: { n: 1, what: 'this' } }, 'Odd this'],
  ['a tool with text alone', { tool_name: 'Odd', tool_input: 'this' }, 'Odd this'],
  ['a tool without input', { tool_name: 'Odd', tool_input: null }, 'Odd'],
  ['an answer', { response_summary: 'Done.' }, 'Done.'],
  ['the message of a notice', { message: 'Waiting', reason: 'later' }, 'Waiting'],
  ['an entry without any of these', { event: 'SessionStart' }, ''],
  ['members of other types', { prompt: 7, response_summary: ['x'], tool_name: {} }, ''],
])('%s', (_, entry, text) => expect(textOf(entry)).toBe(text))

test('a long text is cut between characters', () => {
  const text = textOf({ prompt: '😀'.repeat(1000) })
  expect(text).toBe('😀'.repeat(maxEntryText))
})

test('an entry that is not an object has no summary', () => {
  for (const body of ['null', '[]', '"text"', 'no json'])
    expect(describeEntry(body)).toEqual({ tool: null, event: null, sessionId: null, student: null, text: '' })
})

test('names the member, tool and host', () => {
  const entry = { tool: 'codex', event: 'Stop', session_id: 's-1', student: 'haeun', prompt: '' }
  expect(describeEntry(JSON.stringify(entry))).toEqual({
    tool: 'codex',
    event: 'Stop',
    sessionId: 's-1',
    student: 'haeun',
    text: '',
  })
})
