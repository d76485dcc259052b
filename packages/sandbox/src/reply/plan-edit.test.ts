// A coding model writes a file with the tools of real coding agents, as they declare them.
import { describe, expect, test } from 'bun:test'
import { planEdit } from './plan-edit.ts'

const object = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
})
const text = { type: 'string' }
const command = `printf '%s\\n' 'Written by the sandbox.' > 'hello.txt'`

// Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0, Qwen Code 0.24.4, opencode 1.18.33, pi 0.74.2.
describe.each([
  ['Claude Code', 'Bash', object({ command: text, timeout: { type: 'number' } }, ['command']), { command }],
  ['Codex', 'exec_command', object({ cmd: text, workdir: text }, ['cmd']), { cmd: command }],
  [
    'older Codex',
    'shell',
    object({ command: { type: 'array', items: text } }),
    { command: ['sh', '-c', command] },
  ],
  [
    'Gemini CLI',
    'run_shell_command',
    { type: 'OBJECT', properties: { command: { type: 'STRING' } }, required: ['command'] },
    { command },
  ],
  [
    'Qwen Code',
    'run_shell_command',
    object({ command: text, is_background: { type: 'boolean' } }),
    { command, is_background: false },
  ],
  ['opencode', 'bash', object({ command: text, description: text }), { command, description: 'sandbox' }],
  [
    'an agent without a shell',
    'write',
    object({ path: text, content: text }),
    { path: 'hello.txt', content: 'Written by the sandbox.\n' },
  ],
])('%s', (_, name, schema, args) => {
  test('writes the file with one call, then reports it', () => {
    const tools = [
      { name: 'read', schema: object({ path: text }) },
      { name: 'write_file', schema: object({ file_path: text, content: text }) },
      { name, schema },
    ].filter(tool => tool.name === name || (name !== 'write' && tool.name === 'write_file'))
    expect(planEdit('hello.txt', tools, false)).toEqual({ kind: 'call', name, args })
    expect(planEdit('hello.txt', tools, true)).toEqual({
      kind: 'say',
      text: 'The file hello.txt is written.',
    })
  })
})

test('a tool with a similar name is not called, and a quote in a file name is kept', () => {
  const reading = [
    { name: 'bash', schema: object({ script: text }) },
    { name: 'write', schema: object({ to: text }) },
  ]
  expect(planEdit('a.txt', reading, false)).toEqual({
    kind: 'say',
    text: 'None of the declared tools can write a.txt.',
  })
  const shell = [{ name: 'bash', schema: object({ command: text }) }]
  expect(planEdit("it's.txt", shell, false)).toMatchObject({
    args: { command: `printf '%s\\n' 'Written by the sandbox.' > 'it'\\''s.txt'` },
  })
})
