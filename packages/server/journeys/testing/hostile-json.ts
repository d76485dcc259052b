// Bodies and parameters generated from the schemas of OpenAPI documents: nearly valid, invalid, and hostile.
import fc from 'fast-check'
import type { Parameter } from '../../src/http/openapi.ts'
import type { ShownSchema } from '../../src/http/reply-headers.ts'

/** Meaningful values of a member: ids that exist, and some that do not. */
export type Hints = Readonly<Record<string, readonly unknown[]>>

const shown = (value: unknown): string => JSON.stringify(value) ?? 'null'
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\ufeff',
    '\u202e\u200b',
    'ｔｅａｍ',
    'İ',
    '👩‍👩‍👧‍👦',
    'e\u0301'.repeat(50),
    '../../etc/passwd',
    '%00%2e%2e',
    "' or 1=1 --",
    '{{7*7}}',
    '<script>alert(1)</script>',
    '\r\nx-injected: 1',
    '1e309',
    'NaN',
    'null',
    '__proto__',
    'constructor',
    'x'.repeat(513),
    'x'.repeat(20_000),
    '💥'.repeat(600),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** JSON texts, and some invalid ones. */
const poison: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: oddText.map(shown) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'null',
      'true',
      '-0',
      '-1',
      '0.5',
      '1e400',
      '-1e400',
      '1e-400',
      '9007199254740993',
      '123456789012345678901234567890',
      '[]',
      '{}',
      '[[]]',
      '[null]',
      '{"":""}',
      '{"__proto__":{"polluted":true}}',
      '{"constructor":{"prototype":{"polluted":true}}}',
      '{"toString":1,"valueOf":2,"toJSON":3,"hasOwnProperty":4,"length":-1}',
      '{"a":1,"a":2}',
      nested('[', ']', 40),
      nested('[', ']', 70),
      nested('[', ']', 5000),
      `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
    ),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 4 }).map(shown) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'NaN',
      'Infinity',
      '-Infinity',
      '01',
      '+1',
      '.5',
      '0x10',
      'undefined',
      "'x'",
      '',
    ),
  },
)

const isSchema = (value: unknown): value is ShownSchema => typeof value === 'object' && value !== null
const isNumber = (value: unknown): value is number => typeof value === 'number'
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const membersOf = (value: unknown): [string, ShownSchema][] =>
  isSchema(value)
    ? Object.entries(value).filter((pair): pair is [string, ShownSchema] => isSchema(pair[1]))
    : []

/** JSON text for a schema; one value in ten is poison. */
function buildText(schema: ShownSchema, name: string, hints: Hints): fc.Arbitrary<string> {
  const hinted = hints[name]?.map(shown) ?? []
  const right = buildRight(schema, name, hints)
  return fc.oneof(
    { weight: 9, arbitrary: right },
    ...(hinted.length === 0 ? [] : [{ weight: 27, arbitrary: fc.constantFrom(...hinted) }]),
    { weight: hinted.length === 0 ? 1 : 4, arbitrary: poison },
  )
}

function buildRight(schema: ShownSchema, name: string, hints: Hints): fc.Arbitrary<string> {
  const branches = listOf(schema.anyOf).filter(isSchema)
  if (branches.length > 0) return fc.oneof(...branches.map(branch => buildText(branch, name, hints)))
  const values = listOf(schema.enum)
  if (values.length > 0) return fc.constantFrom(...values.map(shown))
  switch (schema.type) {
    case 'string':
      return buildString(schema).map(shown)
    case 'integer':
    case 'number':
      return buildNumber(schema).map(shown)
    case 'boolean':
      return fc.boolean().map(shown)
    case 'null':
      return fc.constant('null')
    case 'array':
      return buildArray(schema, name, hints)
    case 'object':
      return buildObject(schema, hints)
    default:
      return poison
  }
}

function buildString({ pattern, minLength, maxLength }: ShownSchema): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern))
  const edges = [minLength, maxLength]
    .filter(isNumber)
    .flatMap(length => ['x'.repeat(length), 'é'.repeat(length)])
  const plain = fc.string({ maxLength: 20 })
  const times = fc.constantFrom(
    '1d',
    '1m',
    '12h',
    '0d',
    '999999999999d',
    '2026-11-21T10:00:00Z',
    '+1d',
    '1.5h',
  )
  return edges.length === 0
    ? fc.oneof(plain, times, oddText)
    : fc.oneof(plain, times, oddText, fc.constantFrom(...edges))
}

function buildNumber({ type, minimum, maximum }: ShownSchema): fc.Arbitrary<number> {
  const edges = [minimum, maximum].filter(isNumber).flatMap(edge => [edge, edge - 1, edge + 1])
  const usual =
    type === 'integer' ? fc.integer({ min: 0, max: 1000 }) : fc.double({ min: 0, max: 2, noNaN: true })
  return fc.oneof(usual, fc.constantFrom(...edges, 0, 1, 1e-9, 1e21, Number.MAX_VALUE, Number.MIN_VALUE))
}

/** Characters of one list. */
const longestList = 1_000_000

function buildArray(
  { items, minItems, maxItems }: ShownSchema,
  name: string,
  hints: Hints,
): fc.Arbitrary<string> {
  const item = isSchema(items) ? buildText(items, name, hints) : poison
  const least = isNumber(minItems) ? minItems : 0
  const some = fc.array(item, { minLength: least, maxLength: least + 4 })
  const most = isNumber(maxItems) ? maxItems : 100
  // One more than allowed, as far as the text stays bounded, because lists are nested in lists.
  const many = item.map(text => {
    const length = Math.min(most + 1, Math.ceil(longestList / (text.length + 1)))
    return Array.from({ length }, () => text)
  })
  return fc
    .oneof({ weight: 30, arbitrary: some }, { weight: 1, arbitrary: many })
    .map(texts => `[${texts.join(',')}]`)
}

/** Required members nearly always; others, unknown, poisonous and doubled ones at times. */
function buildObject(schema: ShownSchema, hints: Hints): fc.Arbitrary<string> {
  const required = listOf(schema.required)
  const known = membersOf(schema.properties).map(([name, member]) =>
    fc.oneof(
      { weight: required.includes(name) ? 30 : 1, arbitrary: buildPair(name, member, hints) },
      { weight: required.includes(name) ? 1 : 3, arbitrary: fc.constant([]) },
    ),
  )
  const free = membersOf(schema.patternProperties).map(([, member]) =>
    fc
      .array(
        fc.tuple(
          fc.oneof(fc.constantFrom('mm-2.5-flash', 'mm-2.5-pro'), oddText),
          buildText(member, '', hints),
        ),
        {
          maxLength: 3,
        },
      )
      .map(pairs => pairs.map(([name, text]) => `${shown(name)}:${text}`)),
  )
  const names = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toJSON',
    '',
    'admin',
    'spend',
    'team_id',
  )
  const unknown = fc.tuple(fc.oneof(names, oddText), poison)
  const doubled = fc.nat({ max: 40 })
  return fc
    .tuple(fc.tuple(...known, ...free), unknown, fc.nat({ max: 7 }), doubled)
    .map(([lists, odd, chance, double]) => {
      const pairs = lists.flat()
      if (chance === 0) pairs.push(`${shown(odd[0])}:${odd[1]}`)
      const again = pairs[double]
      if (again !== undefined && chance === 1) pairs.push(again)
      return `{${pairs.join(',')}}`
    })
}

const buildPair = (name: string, schema: ShownSchema, hints: Hints): fc.Arbitrary<string[]> =>
  buildText(schema, name, hints).map(text => [`${shown(name)}:${text}`])

const encoder = new TextEncoder()

/** The bytes of a body: mostly as the schema has it, at times cut off, not UTF-8, or something else. */
export function buildBody(schema: ShownSchema, hints: Hints): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const body = buildText(schema, '', hints)
  const whole = body.map(text => encoder.encode(text))
  const cut = fc.tuple(whole, fc.nat({ max: 200 })).map(([bytes, at]) => bytes.slice(0, at))
  const broken = fc
    .tuple(whole, fc.nat(), fc.constantFrom(0x00, 0x80, 0xff, 0xc0))
    .map(([bytes, at, byte]) => {
      const copy = bytes.slice()
      if (copy.length > 0) copy[at % copy.length] = byte
      return copy
    })
  const marked = whole.map(bytes => new Uint8Array([0xef, 0xbb, 0xbf, ...bytes]))
  return fc.oneof(
    { weight: 20, arbitrary: whole },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: broken },
    { weight: 1, arbitrary: marked },
    { weight: 1, arbitrary: poison.map(text => encoder.encode(text)) },
  )
}

/** Encoded text of one parameter's value. */
function buildParameter({ name, schema }: Parameter, hints: Hints): fc.Arbitrary<string> {
  const right = buildText(schema, name, hints).map(text => encodeOddly(readText(text)))
  return fc.oneof(
    { weight: 9, arbitrary: right },
    { weight: 2, arbitrary: oddText.map(encodeOddly) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '%', '%ff', '%ed%a0%80', '%00', '+', '%2f', '..', '%252e', '1e3', '-1'),
    },
  )
}

/** In a parameter, text has no quotes. */
function readText(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json
}

/** Short enough that the whole address stays below 16 KiB: longer ones never reach a door. */
function encodeOddly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).slice(0, 1500)
}

/** A path with its parameters and query. */
export function buildAddress(
  path: string,
  parameters: readonly Parameter[],
  hints: Hints,
): fc.Arbitrary<string> {
  const inPath = parameters.filter(parameter => parameter.in === 'path')
  const inQuery = parameters.filter(parameter => parameter.in === 'query')
  const segments = fc.tuple(...inPath.map(parameter => buildParameter(parameter, hints)))
  const pairs = inQuery.map(parameter =>
    fc
      .array(buildParameter(parameter, hints), { minLength: parameter.required ? 1 : 0, maxLength: 2 })
      .map(values => values.map(value => `${parameter.name}=${value}`)),
  )
  return fc.tuple(segments, fc.tuple(...pairs)).map(([values, lists]) => {
    const filled = inPath.reduce(
      (text, { name }, index) => text.replace(`{${name}}`, () => values[index] || 'x'),
      path,
    )
    const query = lists.flat().join('&')
    return query === '' ? filled : `${filled}?${query}`
  })
}
