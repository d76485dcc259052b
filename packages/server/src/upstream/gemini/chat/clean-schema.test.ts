// Schemas as agents write them become acceptable to the vendor; any JSON at all gives a schema that the vendor can read.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cleanAnswerSchema, cleanSchema } from './clean-schema.ts'

type Schema = Readonly<Record<string, unknown>>
const text = { type: 'string' }
const whole = (x: unknown, more: Schema = {}): Schema => ({ type: 'object', properties: { x }, ...more })

describe('a schema that the vendor accepts stays the same object', () => {
  test.each<[string, Schema]>([
    ['properties', whole(text, { required: ['x'], description: 'd', additionalProperties: false })],
    ['arrays and numbers', whole({ type: 'array', items: { type: 'integer', minimum: 1 }, maxItems: 3 })],
    ['choices', whole({ anyOf: [text, { type: 'null' }] })],
    ['a definition', whole({ $ref: '#/$defs/a' }, { $defs: { a: { type: 'string', enum: ['a', 'b'] } } })],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }],
    ['anything', whole({})],
  ])('%s', (_, schema) => expect(cleanSchema(schema)).toBe(schema))
})

test.each<[string, Schema]>([
  ['nothing', {}],
  ['no properties', { type: 'object', properties: {} }],
  [
    'no properties, and no others',
    { $schema: 's', type: 'object', properties: {}, additionalProperties: false },
  ],
])('a function without arguments has no schema: %s', (_, schema) => expect(cleanSchema(schema)).toBeNull())

const tree = { type: 'object', properties: { next: { $ref: '#/$defs/tree' }, x: text } }

describe('unsupported schemas', () => {
  test.each<[string, Schema, Schema]>([
    ['marks of the dialect', { $schema: 's', $id: 'i', $comment: 'c', ...whole(text) }, whole(text)],
    ['a constant', whole({ const: 'a' }), whole({ enum: ['a'] })],
    ['numbers to choose from', whole({ type: 'integer', enum: [1, 2] }), whole({ type: 'integer' })],
    ['an empty choice', whole({ type: 'string', enum: ['', 'a'] }), whole({ type: 'string', enum: ['a'] })],
    [
      'limits that are excluded',
      whole({ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 }),
      whole({ type: 'integer', minimum: 1, maximum: 8 }),
    ],
    [
      'the same of fractions',
      whole({ type: 'number', exclusiveMinimum: 0 }),
      whole({ type: 'number', minimum: 0 }),
    ],
    [
      'one of many',
      whole({ oneOf: [text, { type: 'number' }] }),
      whole({ anyOf: [text, { type: 'number' }] }),
    ],
    [
      'all of many',
      {
        type: 'object',
        allOf: [whole(text, { required: ['x'] }), { properties: { y: text }, required: ['y'] }],
      },
      { type: 'object', properties: { x: text, y: text }, required: ['x', 'y'] },
    ],
    [
      'a type or null',
      whole({ type: ['string', 'null'], minLength: 1, description: 'd' }),
      whole({ description: 'd', anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }] }),
    ],
    ['a list of one type', whole({ type: ['string'] }), whole(text)],
    [
      'a choice or null',
      whole({ type: ['string', 'null'], enum: ['a', null] }),
      whole({ anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }),
    ],
    [
      'a list or null',
      whole({ type: ['array', 'null'], items: text }),
      whole({ anyOf: [{ type: 'array', items: text }, { type: 'null' }] }),
    ],
    ['an array without items', whole({ type: 'array' }), whole({ type: 'array', items: {} })],
    [
      'an array of positions',
      whole({ type: 'array', items: [text, { type: 'number' }] }),
      whole({ type: 'array', items: { anyOf: [text, { type: 'number' }] } }),
    ],
    [
      'the same in its newer form',
      whole({ type: 'array', prefixItems: [text] }),
      whole({ type: 'array', items: { anyOf: [text] } }),
    ],
    [
      'required names that do not exist',
      whole(text, { required: ['x', 'y'] }),
      whole(text, { required: ['x'] }),
    ],
    ['formats', whole({ type: 'string', format: 'uri' }), whole(text)],
    [
      'conditions',
      whole(text, { propertyNames: text, patternProperties: { a: text }, not: {}, if: {}, else: {} }),
      whole(text),
    ],
    [
      'a property that may not be',
      whole(text, { properties: { x: text, y: false, z: true } }),
      whole(text, { properties: { x: text, z: {} } }),
    ],
    ['no type', { properties: { x: text } }, whole(text)],
    [
      'a choice of objects',
      { anyOf: [whole(text, { required: ['x'] }), { properties: { y: text, x: {} }, required: ['x', 'y'] }] },
      { type: 'object', properties: { x: text, y: text }, required: ['x'] },
    ],
    [
      'recursion in a definition',
      whole({ $ref: '#/$defs/tree' }, { $defs: { tree } }),
      whole(
        { $ref: '#/$defs/tree' },
        { $defs: { tree: { type: 'object', properties: { next: { type: 'object' }, x: text } } } },
      ),
    ],
    [
      'a schema that is a reference to a definition',
      { $ref: '#/definitions/tree', definitions: { tree } },
      { type: 'object', properties: { next: {}, x: text } },
    ],
    ['recursion to the root', whole({ $ref: '#' }), whole({ type: 'object' })],
    [
      'a place outside the definitions',
      { type: 'object', properties: { x: text, y: { $ref: '#/properties/x', description: 'd' } } },
      { type: 'object', properties: { x: text, y: { type: 'string', description: 'd' } } },
    ],
    [
      'an older definition',
      whole({ $ref: '#/definitions/a~1b' }, { definitions: { 'a/b': text } }),
      whole(text),
    ],
    ['a reference to nothing', whole({ $ref: '#/$defs/a' }), whole({})],
    [
      'a reference to elsewhere',
      whole({ $ref: 'https://a.example/', description: 'd' }),
      whole({ description: 'd' }),
    ],
  ])('%s', (_, schema, cleaned) => expect<unknown>(cleanSchema(schema)).toEqual(cleaned))
})

test('cyclic definitions and references end', () => {
  const schema = whole(
    { $ref: '#/$defs/a' },
    {
      $defs: {
        a: { properties: { b: { $ref: '#/$defs/b' }, x: { $ref: '#/properties/x' } } },
        b: { items: { $ref: '#/$defs/a' } },
      },
    },
  )
  expect<unknown>(cleanSchema(schema)?.$defs).toEqual({
    a: { properties: { b: { type: 'object' }, x: { type: 'object' } } },
    b: { items: { type: 'object' } },
  })
})

test('deep and large schemas are cut', () => {
  let deep: Schema = text
  for (let depth = 0; depth < 5000; depth += 1) deep = whole(deep)
  expect(JSON.stringify(cleanSchema(deep)).length).toBeLessThan(2000)
  const names = Array.from({ length: 30 }, (_, index) => `d${index}`)
  const definitions = Object.fromEntries(
    names.map((name, index) => [
      name,
      whole(
        { $ref: `#/definitions/d${index + 1}` },
        { allOf: [{ $ref: `#/definitions/d${index + 1}` }, whole({ $ref: `#/definitions/d${index + 1}` })] },
      ),
    ]),
  )
  const bomb = cleanSchema(whole({ $ref: '#/definitions/d0' }, { definitions }))
  expect(JSON.stringify(bomb).length).toBeLessThan(1_000_000)
})

describe('schemas made to be expensive', () => {
  const list = (length: number) => Array.from({ length }, (_, index) => index)
  const named = (prefix: string, length: number, make: (index: number) => unknown) =>
    Object.fromEntries(list(length).map(index => [`${prefix}${index}`, make(index)]))
  const attacks: [string, (size: number) => Schema][] = [
    [
      'a ring of definitions',
      size => ({
        ...whole({ $ref: '#/$defs/d0' }),
        $defs: named('d', size, index => ({ $ref: `#/$defs/d${(index + 1) % size}` })),
      }),
    ],
    [
      'a ring through properties',
      size => ({
        ...whole({ $ref: '#/$defs/d0' }),
        $defs: named('d', size, index =>
          whole({ $ref: `#/$defs/d${(index + 1) % size}` }, { required: ['x'] }),
        ),
      }),
    ],
    [
      'one wide object many times',
      size => ({
        type: 'object',
        allOf: list(size).map(() => ({ $ref: '#/$defs/wide' })),
        $defs: { wide: { properties: named('p', size * 10, () => text) } },
      }),
    ],
    [
      'one long description many times',
      size => ({
        type: 'object',
        properties: named('p', size, () => ({ $ref: '#/definitions/long' })),
        definitions: { long: { type: 'string', description: 'd'.repeat(size * 50) } },
      }),
    ],
    [
      'many objects that must all fit',
      size => ({ type: 'object', allOf: list(size).map(index => whole(text, { required: [`r${index}`] })) }),
    ],
    [
      'many choices with many required names',
      size => ({
        anyOf: list(size / 10).map(() => ({ required: list(100).map(index => `r${index}`) })),
      }),
    ],
  ]

  test.each(attacks)('%s: the result stays within a few times the schema', (_, make) => {
    const schema = make(500)
    const longest = 6 * JSON.stringify(schema).length + 10_000
    expect(JSON.stringify(cleanSchema(schema))?.length ?? 0).toBeLessThan(longest)
    expect(JSON.stringify(cleanAnswerSchema(schema)).length).toBeLessThan(longest)
  })

  // Shown to fail on the build that walked the whole ring again for each reference: twice the size was read four times as often.
  test.each(attacks)('%s: twice the size takes at most 2.3 times the reads', (_, make) => {
    for (const clean of [cleanSchema, cleanAnswerSchema]) {
      const [once, twice] = [200, 400].map(size => countReads(make(size), clean))
      expect((twice ?? Number.NaN) / (once ?? 0)).toBeLessThan(2.3)
    }
  })
})

/** Number of members that `clean` looks at, including repeats: counted, because times vary on a busy machine. */
function countReads(schema: Schema, clean: (schema: Schema) => unknown): number {
  let reads = 0
  const watched = new WeakMap<object, object>()
  const watch = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const known = watched.get(value)
    if (known !== undefined) return known
    const proxy = new Proxy(value, {
      get: (target, key) => {
        reads += 1
        return watch(Reflect.get(target, key))
      },
    })
    watched.set(value, proxy)
    return proxy
  }
  clean(watch(schema) as Schema)
  return reads
}

const keywords = fc.constantFrom(
  'type',
  'properties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  '$ref',
  '$defs',
  'definitions',
  'enum',
  'const',
  'required',
  'additionalProperties',
  'format',
  'not',
  'prefixItems',
  'exclusiveMinimum',
  'description',
  'x',
  '__proto__',
)
const values = fc.constantFrom<unknown[]>(
  'string',
  'array',
  'object',
  'date',
  '#',
  '#/$defs/x',
  '#/properties/x',
  '#/definitions/x',
  'x',
  1,
  true,
  false,
  null,
)
const { node } = fc.letrec<{ node: unknown; any: unknown }>(tie => ({
  any: fc.oneof(
    { depthSize: 'small' },
    values,
    fc.array(values, { maxLength: 2 }),
    fc.array(tie('node'), { maxLength: 3 }),
    tie('node'),
  ),
  node: fc.dictionary(keywords, tie('any'), { maxKeys: 6 }),
}))

const known = new Set([
  'title',
  'description',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'default',
  'example',
  'examples',
  'type',
  'nullable',
  'propertyOrdering',
  'format',
  'enum',
  '$ref',
  '$defs',
  'properties',
  'items',
  'anyOf',
  'additionalProperties',
  'required',
])

function check(schema: unknown, root: Schema): void {
  expect(typeof schema).toBe('object')
  const entries = Object.entries(schema as Schema)
  for (const [key, value] of entries) {
    expect(known.has(key)).toBe(true)
    if (key === 'properties' || key === '$defs')
      for (const inner of Object.values(value as Schema)) check(inner, root)
    else if (key === 'anyOf') for (const inner of value as unknown[]) check(inner, root)
    else if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object'))
      check(value, root)
    else if (key === 'type') expect(typeof value).toBe('string')
    else if (key === '$ref')
      expect(Object.keys(root.$defs as Schema)).toContain(String(value).replace('#/$defs/', ''))
  }
}

test('any JSON becomes a schema of known keywords, and a clean one is unchanged', () => {
  fc.assert(
    fc.property(node, schema => {
      const given = JSON.stringify(schema)
      const cleaned = cleanSchema(JSON.parse(given))
      if (cleaned === null) return
      check(cleaned, cleaned)
      expect(cleaned.type).toMatch(/^object$/i)
      expect(cleanSchema(cleaned)).toBe(cleaned)
    }),
    { numRuns: 2000 },
  )
})

describe('the schema of an answer', () => {
  const node = (more: Schema = {}) =>
    ({ type: 'object', properties: { next: { $ref: '#/$defs/node' } }, ...more }) as const

  test.each<[string, Schema]>([
    ['not an object', { type: 'array' }],
    ['nothing', {}],
    ['no properties', { type: 'object', properties: {}, additionalProperties: false }],
    ['numbers to choose from', whole({ enum: [1, 2, 'a'] })],
    ['a list of types', whole({ type: ['string', 'null'] })],
    ['one of many', whole({ oneOf: [text, { type: 'number' }] })],
    ['one schema for each position', whole({ type: 'array', prefixItems: [text, { type: 'number' }] })],
    ['names', whole(text, { $id: 'a', $anchor: 'b' })],
    ['a reference', whole({ $ref: '#/$defs/a' }, { $defs: { a: text } })],
    ['a circle that an answer can leave', whole({ $ref: '#/$defs/node' }, { $defs: { node: node() } })],
    ['such a circle to the root', { type: 'object', properties: { next: { $ref: '#' } } }],
    [
      'such a circle over two',
      {
        $defs: {
          a: { type: 'object', properties: { b: { $ref: '#/$defs/b' } }, required: ['b'] },
          b: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } },
        },
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' } },
        required: ['a'],
      },
    ],
  ])('stays the same object if the vendor accepts it: %s', (_, schema) =>
    expect(cleanAnswerSchema(schema)).toBe(schema),
  )

  test.each<[string, Schema, Schema]>([
    ['marks of the dialect', { $schema: 's', ...whole(text) }, whole(text)],
    ['a constant', whole({ const: 1 }), whole({ enum: [1] })],
    ['conditions', whole({ ...text, not: { const: 'a' } }), whole(text)],
    [
      'excluded limits',
      whole({ type: 'integer', exclusiveMinimum: 0 }),
      whole({ type: 'integer', minimum: 1 }),
    ],
    [
      'words next to a reference',
      whole({ $ref: '#/$defs/a', description: 'd' }, { $defs: { a: text } }),
      whole({ $ref: '#/$defs/a' }, { $defs: { a: text } }),
    ],
    [
      'a definition of an older draft',
      whole({ $ref: '#/definitions/a' }, { definitions: { a: text } }),
      whole(text),
    ],
    [
      'a circle that an answer cannot leave',
      whole({ $ref: '#/$defs/node' }, { $defs: { node: node({ required: ['next'] }) } }),
      whole(
        { $ref: '#/$defs/node' },
        { $defs: { node: { type: 'object', properties: { next: { type: 'object' } }, required: ['next'] } } },
      ),
    ],
    [
      'such a circle to the root',
      { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] },
      { type: 'object', properties: { next: { type: 'object' } }, required: ['next'] },
    ],
    [
      'a choice of objects at the root',
      { anyOf: [whole(text), { const: 'a' }] },
      { anyOf: [whole(text), { enum: ['a'] }] },
    ],
  ])('is stripped of %s', (_, schema, expected) => expect(cleanAnswerSchema(schema)).toEqual(expected))

  test('may be any JSON, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), schema => {
        const cleaned = cleanAnswerSchema(schema)
        expect(cleanAnswerSchema(cleaned)).toEqual(cleaned)
      }),
    )
  })
})
