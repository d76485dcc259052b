// Checks what counts as not given, and what does not: required members, members that accept null, records, unions.
import { expect, test } from 'bun:test'
import Type from 'typebox'
import { dropAbsent, isEmptyField, isNull } from './drop-absent.ts'

const orNull = Type.Optional(Type.Union([Type.Integer(), Type.Null()]))
const schema = Type.Object({
  name: Type.String(),
  size: Type.Optional(Type.String()),
  limit: orNull,
  anything: Type.Optional(Type.Unknown()),
  nested: Type.Optional(Type.Object({ a: Type.Optional(Type.Number()), b: Type.Number() })),
  items: Type.Optional(
    Type.Array(
      Type.Union([
        Type.Object({ type: Type.Literal('x'), note: Type.Optional(Type.String()) }),
        Type.Object({ type: Type.Enum(['y', 'z']), note: Type.String() }),
        Type.String(),
      ]),
    ),
  ),
  names: Type.Optional(Type.Record(Type.String(), Type.Number())),
})

const cases: readonly (readonly [name: string, value: object, expected?: object])[] = [
  ['an optional member', { name: 'a', size: null }, { name: 'a' }],
  ['a required one is kept', { name: null, size: null }, { name: null }],
  ['one that accepts null keeps it', { name: 'a', limit: null, anything: null }],
  ['one inside another', { name: 'a', nested: { a: null, b: 1 } }, { name: 'a', nested: { b: 1 } }],
  ['a required one inside another is kept', { name: 'a', nested: { b: null } }],
  [
    'in the intended branch of a union',
    {
      items: [{ type: 'x', note: null }, { type: 'z', note: null }, 'x', null],
    },
    { items: [{ type: 'x' }, { type: 'z', note: null }, 'x', null] },
  ],
  ['no member of a record, because its names are data', { name: 'a', names: { one: null } }],
  ['no unknown member', { name: 'a', other: null }],
]

test.each(cases.map(([name, value, expected = value]) => [name, value, expected] as const))(
  '%s',
  (_, value, expected) => {
    const result = dropAbsent(schema, value, isNull)
    expect<unknown>(result).toEqual(expected)
    if (expected === value) expect<unknown>(result).toBe(value)
  },
)

test('in a form it is the empty field', () => {
  const form = { name: '', size: '', nested: null, file: new File([], 'a') }
  expect<unknown>(dropAbsent(schema, form, isEmptyField)).toEqual({ ...form, size: undefined })
})
