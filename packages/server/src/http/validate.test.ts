// The first fault of a body as a client reads it: which member, and what it must be.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'
import { validateWith } from './validate.ts'

const part = Type.Object({ type: Type.Literal('text'), text: Type.String() })
const message = Type.Object({
  role: Type.Enum(['system', 'user']),
  content: Type.Union([Type.String(), Type.Array(part, { minItems: 1 })]),
})
const schema = Type.Object({
  model: Type.String({ minLength: 1 }),
  messages: Type.Array(message, { minItems: 1 }),
  max_tokens: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
  strict: Type.Optional(Type.Object({ a: Type.Optional(Type.Number()) }, { additionalProperties: false })),
  'odd/name~': Type.Optional(Type.Number()),
})
const validate = validateWith(schema)
const messages = [{ role: 'user', content: 'hello' }]

const table: [value: unknown, param: string | null, message: string][] = [
  [5, null, 'The body must be object.'],
  [{}, 'model', 'model is required.'],
  [{ model: '', messages }, 'model', 'model must not be empty.'],
  [{ model: 'm', messages: [] }, 'messages', 'messages must not be empty.'],
  [
    { model: 'm', messages: [messages[0], { role: 'user' }] },
    'messages[1].content',
    'messages[1].content is required.',
  ],
  [
    { model: 'm', messages: [{ role: 'user', content: 5 }] },
    'messages[0].content',
    'messages[0].content must be string or array.',
  ],
  [
    { model: 'm', messages: [{ role: 'robot', content: '' }] },
    'messages[0].role',
    'messages[0].role must be one of "system", "user".',
  ],
  [
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'image', text: '' }] }] },
    'messages[0].content[0].type',
    'messages[0].content[0].type must be "text".',
  ],
  [{ model: 'm', messages, max_tokens: 'x' }, 'max_tokens', 'max_tokens must be integer.'],
  [{ model: 'm', messages, max_tokens: 1.5 }, 'max_tokens', 'max_tokens must be integer.'],
  [{ model: 'm', messages, max_tokens: 0 }, 'max_tokens', 'max_tokens must be >= 1.'],
  [{ model: 'm', messages, strict: { b: 1 } }, 'strict.b', 'strict.b is not a known member.'],
  [{ model: 'm', messages, 'odd/name~': 'x' }, 'odd/name~', 'odd/name~ must be number.'],
]

test.each(table)('%j → %s', (value, param, text) => {
  expect(() => validate(value)).toThrow(new ApiError('invalid_request', { message: text }))
  try {
    validate(value)
  } catch (error) {
    expect(error instanceof ApiError ? error.param : 'none').toBe(param)
  }
})

test('what fits is handed back, unknown members included', () => {
  const value = { model: 'm', messages, max_tokens: null, unknown: true }
  expect<unknown>(validate(value)).toBe(value)
})
