// The error in a long value names the true place, and is found without walking the whole value.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import Type from 'typebox'
import { narrowFault } from './narrow-fault.ts'
import { validateWith } from './validate.ts'

const part = Type.Object({ type: Type.Literal('text'), text: Type.String() })
const message = Type.Object({
  role: Type.Enum(['user', 'assistant']),
  content: Type.Union([Type.String(), Type.Array(part, { minItems: 1, maxItems: 500 })]),
})
const validate = validateWith(
  Type.Object({
    messages: Type.Array(message, { maxItems: 1000 }),
    temperature: Type.Optional(Type.Number()),
  }),
)

function refusalOf(value: unknown): { param: string | null; message: string } {
  try {
    validate(value)
  } catch (error) {
    if (error instanceof ApiError) return { param: error.param, message: error.message }
  }
  throw new Error('It was not refused.')
}

const messages = (count: number): object[] =>
  Array.from({ length: count }, () => ({ role: 'user', content: 'Hello' }))
const parts = (count: number): object[] =>
  Array.from({ length: count }, () => ({ type: 'text', text: 'Hello' }))

test.each([0, 1, 2, 31, 32, 33, 500, 998, 999])('the faulty message %i of 1000 is named', index => {
  const list = messages(1000)
  list[index] = { role: 'king', content: 'Hello' }
  expect(refusalOf({ messages: list })).toEqual({
    param: `messages[${index}].role`,
    message: `messages[${index}].role must be one of "user", "assistant".`,
  })
})

test('one item is left to validate, found in a few validations', () => {
  let questions = 0
  const list = [...messages(60_000), { role: 'king', content: 'Hello' }]
  const isValid = (value: unknown) => {
    questions += 1
    return !JSON.stringify(value).includes('king')
  }
  const { value, restorePath } = narrowFault({ messages: list }, isValid)
  expect(value).toEqual({ messages: [{ role: 'king', content: 'Hello' }] })
  expect(restorePath('/messages/0/role')).toBe('/messages/60000/role')
  expect(questions).toBeLessThan(20)
})

test('a faulty part inside a message is named by both places', () => {
  const list = messages(700)
  const content = parts(400)
  content[321] = { type: 'text', text: 1 }
  list[600] = { role: 'user', content }
  expect(refusalOf({ messages: list }).param).toBe('messages[600].content[321].text')
})

test('names a fault next to a long array, and the first of multiple faults in it', () => {
  expect(refusalOf({ messages: messages(1000), temperature: 'warm' }).param).toBe('temperature')
  const list = messages(1000)
  list[40] = { role: 'user' }
  list[41] = {}
  expect(refusalOf({ messages: list }).param).toBe('messages[40].content')
})

test('an array that is only too long is reported with its limit', () => {
  expect(refusalOf({ messages: messages(1001) })).toEqual({
    param: 'messages',
    message: 'messages must not have more than 1000 items.',
  })
  const nested = [...messages(50), { role: 'user', content: parts(501) }]
  expect(refusalOf({ messages: nested })).toEqual({
    param: 'messages[50].content',
    message: 'messages[50].content must not have more than 500 items.',
  })
})
