// Checks the rows of a reference table: which members there are, and which of them are truly required.
import { describe, expect, test } from 'bun:test'
import Type from 'typebox'
import { listSchemaFields } from './list-schema-fields.ts'

const user = Type.Object({ role: Type.Literal('user'), content: Type.String() })
const assistant = Type.Object({
  role: Type.Literal('assistant'),
  content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})
const tool = Type.Object({
  role: Type.Literal('tool'),
  tool_call_id: Type.String({ description: 'As it was given' }),
  content: Type.String(),
  origin: Type.Optional(Type.Object({ name: Type.String() })),
})

const rows = (schema: Parameters<typeof listSchemaFields>[0]) =>
  Object.fromEntries(listSchemaFields(schema).map(({ path, ...row }) => [path, row]))

describe('members of a union', () => {
  const shown = rows({ ...Type.Object({ messages: Type.Array(Type.Union([user, assistant, tool])) }) })

  test('are required if all of its objects require them', () => {
    expect(shown['messages[].role']?.required).toBe(true)
  })

  test('are not required if one object does not require them or lacks them: the notes say when they are', () => {
    expect(shown['messages[].content']).toEqual({
      type: 'string or null',
      required: false,
      notes: 'Required if `role` is "user" or "tool".',
    })
    expect(shown['messages[].tool_call_id']).toEqual({
      type: 'string',
      required: false,
      notes: 'Required if `role` is "tool". As it was given.',
    })
  })

  test('have their own members, required as in their object', () => {
    expect(shown['messages[].origin']?.required).toBe(false)
    expect(shown['messages[].origin.name']?.required).toBe(true)
  })
})

test('a union at the root, in a union, and one with objects that cannot be distinguished', () => {
  const task = Type.Literal('transcribe')
  const short = Type.Object({ task, text: Type.String() })
  const long = Type.Object({ task, text: Type.String(), seconds: Type.Number() })
  const shown = rows({ ...Type.Union([short, Type.Union([long, Type.Null()])]) })
  expect(shown.text).toEqual({ type: 'string', required: true, notes: '' })
  expect(shown.seconds).toEqual({ type: 'number', required: false, notes: 'Required in some forms.' })
})

test('a list at the root, and a file', () => {
  expect(rows({ ...Type.Array(Type.Object({ id: Type.String() })) })).toEqual({
    '[].id': { type: 'string', required: true, notes: '' },
  })
  const file = { type: 'object', properties: { file: { contentMediaType: 'application/octet-stream' } } }
  expect(rows(file).file?.type).toBe('file')
})
