// Bodies that each grow in one way, built like an attack on work that is not linear in the input.
import type { Dialect } from './dialects.ts'

export type Shape = {
  readonly name: string
  /** About `count` items of it. */
  readonly build: (dialect: Dialect, count: number) => object
}

/** The same conversation in each dialect. */
type Turn =
  | { readonly user: string | readonly string[] }
  | { readonly calls: readonly { readonly id: string; readonly name: string }[] }
  | { readonly result: string; readonly of: string }

type Tool = { readonly name: string; readonly schema: object }

const many = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

function write(dialect: Dialect, turns: readonly Turn[], tools: readonly Tool[] = []): object {
  const model = 'mm-2.5-flash'
  switch (dialect) {
    case 'chat':
      return {
        model,
        messages: turns.map(writeChatTurn),
        tools: tools.map(({ name, schema }) => ({
          type: 'function',
          function: { name, parameters: schema },
        })),
      }
    case 'messages':
    case 'relayed':
      return {
        model,
        max_tokens: 16,
        messages: turns.map(writeMessagesTurn),
        tools: tools.map(({ name, schema }) => ({ name, input_schema: schema })),
      }
    case 'responses':
      return {
        model,
        input: turns.flatMap(writeResponsesTurn),
        tools: tools.map(({ name, schema }) => ({ type: 'function', name, parameters: schema })),
      }
    case 'generate':
      return {
        contents: turns.map(writeGeminiTurn),
        tools: [{ functionDeclarations: tools.map(({ name, schema }) => ({ name, parameters: schema })) }],
      }
  }
}

const textsOf = (user: string | readonly string[]) => (typeof user === 'string' ? [user] : user)

function writeChatTurn(turn: Turn): object {
  if ('user' in turn)
    return {
      role: 'user',
      content: typeof turn.user === 'string' ? turn.user : turn.user.map(text => ({ type: 'text', text })),
    }
  if ('result' in turn) return { role: 'tool', tool_call_id: turn.of, content: turn.result }
  const calls = turn.calls.map(({ id, name }) => ({
    id,
    type: 'function',
    function: { name, arguments: '{}' },
  }))
  return { role: 'assistant', content: null, tool_calls: calls }
}

function writeMessagesTurn(turn: Turn): object {
  if ('user' in turn)
    return { role: 'user', content: textsOf(turn.user).map(text => ({ type: 'text', text })) }
  if ('result' in turn)
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: turn.of, content: turn.result }] }
  const content = turn.calls.map(({ id, name }) => ({ type: 'tool_use', id, name, input: {} }))
  return { role: 'assistant', content }
}

function writeResponsesTurn(turn: Turn): object[] {
  if ('user' in turn) {
    const content = textsOf(turn.user).map(text => ({ type: 'input_text', text }))
    return [{ type: 'message', role: 'user', content }]
  }
  if ('result' in turn) return [{ type: 'function_call_output', call_id: turn.of, output: turn.result }]
  return turn.calls.map(({ id, name }) => ({ type: 'function_call', call_id: id, name, arguments: '{}' }))
}

function writeGeminiTurn(turn: Turn): object {
  if ('user' in turn) return { role: 'user', parts: textsOf(turn.user).map(text => ({ text })) }
  if ('result' in turn)
    return {
      role: 'user',
      parts: [{ functionResponse: { name: turn.of, response: { output: turn.result } } }],
    }
  return { role: 'model', parts: turn.calls.map(({ name }) => ({ functionCall: { name, args: {} } })) }
}

const schemaShape = (name: string, build: (count: number) => object): Shape => ({
  name,
  build: (dialect, count) =>
    write(dialect, [{ user: 'Hi' }], [{ name: 'f', schema: { type: 'object', ...build(count) } }]),
})

/** One object of `count` members. */
const members = (count: number, make: (index: number) => unknown): object =>
  Object.fromEntries(many(count, index => [`m${index}`, make(index)]))

const text = { type: 'string' }

export const shapes: readonly Shape[] = [
  {
    name: 'messages',
    build: (dialect, count) =>
      write(
        dialect,
        many(count, index => ({ user: `${index}` })),
      ),
  },
  {
    name: 'parts of one message',
    build: (dialect, count) => write(dialect, [{ user: many(Math.min(count, 900), index => `${index}`) }]),
  },
  { name: 'one long text', build: (dialect, count) => write(dialect, [{ user: 'word '.repeat(8 * count) }]) },
  {
    name: 'one text of escapes',
    build: (dialect, count) => write(dialect, [{ user: '"\\\n'.repeat(8 * count) }]),
  },
  {
    name: 'calls and results of one id',
    build: (dialect, count) =>
      write(dialect, [
        ...many(count, (): Turn => ({ calls: [{ id: 'same', name: 'f' }] })),
        ...many(count, (): Turn => ({ result: 'r', of: 'same' })),
      ]),
  },
  {
    name: 'calls in turns, results in reverse',
    build: (dialect, count) =>
      write(dialect, [
        ...many(
          count,
          (index): Turn => (index % 2 ? { user: 'x' } : { calls: [{ id: `c${index}`, name: 'f' }] }),
        ),
        ...many(count, (index): Turn => ({ result: 'r', of: `c${count - index}` })),
      ]),
  },
  {
    name: 'results without calls',
    build: (dialect, count) =>
      write(dialect, [{ user: 'Hi' }, ...many(count, (index): Turn => ({ result: 'r', of: `c${index}` }))]),
  },
  {
    name: 'calls without results',
    build: (dialect, count) =>
      write(
        dialect,
        many(count, index => ({ calls: [{ id: `c${index}`, name: `f${index}` }] })),
      ),
  },
  {
    name: 'names that are cut to the same',
    build: (dialect, count) =>
      write(
        dialect,
        many(count, index => ({ calls: [{ id: `c${index}`, name: `${'n'.repeat(60)} ${index}` }] })),
      ),
  },
  {
    name: 'tools',
    build: (dialect, count) =>
      write(
        dialect,
        [{ user: 'Hi' }],
        many(Math.min(count, 500), index => ({
          name: `f${index}`,
          schema: { type: 'object', properties: { a: text } },
        })),
      ),
  },
  {
    name: 'tools of one name',
    build: (dialect, count) =>
      write(
        dialect,
        [{ user: 'Hi' }],
        many(Math.min(count, 500), () => ({
          name: 'f',
          schema: { type: 'object', properties: { a: text } },
        })),
      ),
  },
  schemaShape('properties, all required', count => ({
    properties: members(count, () => text),
    required: many(count, index => `m${index}`),
  })),
  schemaShape('required names that are not there', count => ({
    properties: { a: text },
    required: many(count, index => `m${index}`),
  })),
  schemaShape('a ring of references', count => ({
    properties: { a: { $ref: '#/$defs/m0' } },
    $defs: members(count, index => ({ $ref: `#/$defs/m${(index + 1) % count}` })),
  })),
  schemaShape('references to one object', count => ({
    properties: members(count, () => ({ $ref: '#/$defs/a' })),
    $defs: { a: { type: 'object', properties: { b: text, c: text } } },
  })),
  schemaShape('references to a place that is no definition', count => ({
    properties: {
      a: { type: 'object', properties: members(count, () => text) },
      ...members(count, () => ({ $ref: '#/properties/a' })),
    },
  })),
  schemaShape('allOf of references', count => ({
    allOf: many(count, () => ({ $ref: '#/$defs/a' })),
    $defs: { a: { type: 'object', properties: members(count, () => text) } },
  })),
  schemaShape('choices', count => ({
    properties: {
      a: { anyOf: many(count, () => ({ type: 'object', properties: { b: text }, required: ['b'] })) },
    },
  })),
  schemaShape('an enum', count => ({ properties: { a: { enum: many(count, index => `${index}`) } } })),
  schemaShape('deep', count => {
    let schema: object = text
    for (let level = 0; level < 14; level += 1) schema = { type: 'object', properties: { a: schema } }
    return { properties: members(count / 8, () => schema) }
  }),
  {
    name: 'nothing but nulls',
    build: (dialect, count) => ({ ...write(dialect, [{ user: 'Hi' }]), metadata: many(count, () => null) }),
  },
  {
    name: 'unknown members',
    build: (dialect, count) => ({
      ...write(dialect, [{ user: 'Hi' }]),
      ...members(count, () => ({ a: [1] })),
    }),
  },
  {
    name: 'unknown members with integer keys',
    build: (dialect, count) => ({
      ...write(dialect, [{ user: 'Hi' }]),
      ...Object.fromEntries(many(count, index => [`${4_294_967_294 - index * 65_536}`, 0])),
    }),
  },
  schemaShape('keys that are integers', count => ({
    properties: Object.fromEntries(many(count, index => [`${4_294_967_294 - index}`, text])),
  })),
  schemaShape('keys of prototypes', count => ({
    properties: Object.fromEntries(
      many(count, index => [index % 2 === 0 ? '__proto__' : `constructor${index}`, text]),
    ),
  })),
  {
    name: 'a wrong last message',
    build: (dialect, count) => {
      const body = write(dialect, [...many(count, index => ({ user: `${index}` })), { user: 'x' }])
      const list = Object.values(body).find(value => Array.isArray(value) && value.length > 1)
      if (Array.isArray(list)) list.push({ role: 'user', content: 7, parts: 7, type: 'message' })
      return body
    },
  },
]
