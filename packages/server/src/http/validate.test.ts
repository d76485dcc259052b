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
  refined: Type.Optional(
    Type.Union([Type.Refine(Type.Number(), Number.isFinite, () => 'must be whole'), Type.Null()]),
  ),
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
  [{ model: 'm', messages, refined: 'x' }, 'refined', 'refined must be whole.'],
]

test.each(table)('%j → %s', (value, param, text) => {
  expect(() => validate(value)).toThrow(new ApiError('invalid_request', { message: text }))
  try {
    validate(value)
  } catch (error) {
    expect(error instanceof ApiError ? error.param : 'none').toBe(param)
  }
})

test('a valid value is returned, including unknown members', () => {
  const value = { model: 'm', messages, max_tokens: null, unknown: true }
  expect<unknown>(validate(value)).toBe(value)
})

const image = Type.Object({ type: Type.Literal('image'), image: Type.Object({ url: Type.String() }) })
const choice = Type.Union([
  Type.Enum(['none', 'auto']),
  Type.Object({ type: Type.Literal('named'), name: Type.String({ minLength: 1 }) }),
  Type.Null(),
])
const tagged = validateWith(
  Type.Object({
    messages: Type.Array(
      Type.Union([
        Type.Object({
          role: Type.Literal('user'),
          content: Type.Union([Type.String(), Type.Array(Type.Union([part, image]))]),
        }),
        Type.Object({ role: Type.Enum(['system', 'developer']), content: Type.String() }),
        Type.Object({ role: Type.Literal('tool'), id: Type.String(), content: Type.String() }),
      ]),
    ),
    choice: Type.Optional(choice),
  }),
)
const turn = (...messages: unknown[]) => ({ messages: [{ role: 'system', content: '' }, ...messages] })

const inUnions: [value: unknown, message: string][] = [
  [turn({ role: 'tool', content: '' }), 'messages[1].id is required.'],
  [turn({ role: 'robot' }), 'messages[1].role must be one of "user", "system", "developer", "tool".'],
  [turn({ content: '' }), 'messages[1].role is required.'],
  [
    turn({ role: 'user', content: [{ type: 'text', text: 'a' }, { type: 'video' }] }),
    'messages[1].content[1].type must be one of "text", "image".',
  ],
  [
    turn({ role: 'user', content: [{ type: 'image', image: {} }] }),
    'messages[1].content[0].image.url is required.',
  ],
  [turn({ role: 'user', content: [{ type: 'text' }] }), 'messages[1].content[0].text is required.'],
  [turn(5), 'messages[1] must be object.'],
  [{ messages: [], choice: 'any' }, 'choice must be one of "none", "auto".'],
  [{ messages: [], choice: { type: 'named', name: '' } }, 'choice.name must not be empty.'],
  [{ messages: [], choice: { type: 'other' } }, 'choice.type must be "named".'],
]

test.each(inUnions)('in a union the intended branch determines the error: %j', (value, message) => {
  expect(() => tagged(value)).toThrow(new ApiError('invalid_request', { message }))
})

const replaced = validateWith(
  Type.Object(
    { a: Type.Optional(Type.Number()) },
    { additionalProperties: false, 'x-substitutes': { b: 'Send a.' } },
  ),
)

test('a refused member is named with its substitute, unless it says nothing', () => {
  expect(() => replaced({ b: 1 })).toThrow(
    new ApiError('invalid_request', { message: 'b is not used here. Send a.' }),
  )
  expect(() => replaced({ c: 1 })).toThrow('c is not a known member.')
  for (const nothing of [null, false, [], {}]) expect(replaced({ a: 1, b: nothing })).toEqual({ a: 1 })
  expect(() => replaced({ b: 0 })).toThrow('Send a.')
})
