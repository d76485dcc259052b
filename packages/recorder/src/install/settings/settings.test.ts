// suite: 7 s
// Hooks can be added to settings files and removed without a trace, whatever the files look like.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { tools } from '../../tools/find-tool.ts'
import { toolNames } from '../../tools/tool.ts'
import { insertItem, insertMember } from '../jsonc/edit-jsonc.ts'
import { findNode, parseJsonc, readValue } from '../jsonc/jsonc.ts'
import { mergeHooks } from './merge-hooks.ts'
import { recipes } from './recipes.ts'
import { removeHooks } from './remove-hooks.ts'

const commandOf = (tool: string) => (event: string) => ({
  line: `/w/.git/fairgate/fairgate-recorder hook ${tool} ${event}`,
  guarded: `/w/.git/fairgate/fairgate-recorder hook ${tool} ${event} || true`,
  powershell: `& 'C:/w/.git/fairgate/fairgate-recorder.cmd' hook ${tool} ${event}`,
})
const merge = (tool: (typeof toolNames)[number], text: string | null) =>
  mergeHooks(text, recipes[tool], commandOf(tool))
const parse = (text: string) => readValue(parseJsonc(text))

/** Layout of a generated file. */
type Layout = { indent: string; lineEnd: string; comments: boolean; trailing: boolean; compact: boolean }

/** Writes a value as a careless person would, with any indentation, comments and commas. */
function write(value: unknown, layout: Layout, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const parts = Object.entries(value).map(
    ([name, member]) => (isList ? '' : `${JSON.stringify(name)}: `) + write(member, layout, depth + 1),
  )
  if (parts.length === 0) return layout.comments && depth % 2 === 1 ? `${open} ${close}` : `${open}${close}`
  if (layout.compact) return `${open}${parts.join(', ')}${layout.comments ? ' /* end */' : ''}${close}`
  const inner = layout.lineEnd + layout.indent.repeat(depth + 1)
  const lines = parts.map((part, index) => {
    const comma = index < parts.length - 1 || layout.trailing ? ',' : ''
    return `${inner}${layout.comments && index === 0 ? `// first${inner}` : ''}${part}${comma}${layout.comments ? ' // note, "x": [' : ''}`
  })
  return `${open}${lines.join('')}${layout.lineEnd}${layout.indent.repeat(depth)}${close}`
}

const layouts = fc.record({
  indent: fc.constantFrom('  ', '    ', '\t'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  comments: fc.boolean(),
  trailing: fc.boolean(),
  compact: fc.boolean(),
})
const foreignHook = fc.constantFrom<unknown>(
  { matcher: 'Bash', hooks: [{ type: 'command', command: 'echo "{" // no comment' }] },
  { command: './mine.sh', timeout: 3 },
  { hooks: [] },
)
const settings = (tool: (typeof toolNames)[number]) => {
  const [event = ''] = tools[tool].events
  const list = fc.array(foreignHook, { maxLength: 3 })
  const hooks = fc.dictionary(fc.constantFrom(event, 'Other', 'Stop'), list)
  const other = fc.dictionary(fc.constantFrom('model', 'env', 'ü "quoted"'), fc.jsonValue({ maxDepth: 2 }))
  const [root = ''] = recipes[tool].listOf(event)
  return fc
    .record({ other, hooks: fc.option(hooks, { nil: undefined }), tail: fc.boolean() })
    .map(({ other, hooks, tail }) => ({
      ...other,
      ...(hooks === undefined ? {} : { [root]: hooks }),
      ...(tail ? { last: [1, {}] } : {}),
    }))
}

describe.each([...toolNames])('%s', tool => {
  const { accepts } = recipes[tool]
  const files = fc
    .record({
      value: settings(tool),
      layout: layouts,
      bom: fc.boolean(),
      end: fc.constantFrom('', '\n', '\r\n\r\n'),
    })
    .map(({ value, layout, bom, end }) => {
      const plain = {
        ...layout,
        comments: layout.comments && accepts.includes('comment'),
        trailing: layout.trailing && accepts.includes('extra comma'),
      }
      return `${bom && accepts.includes('byte order mark') ? '\uFEFF' : ''}${write(value, plain)}${end}`
    })

  test('adding and removing restores every byte; adding twice equals adding once; nothing else changes', () => {
    fc.assert(
      fc.property(files, text => {
        const { text: merged, added } = merge(tool, text)
        expect(merge(tool, merged).text).toBe(merged)
        const facts = { recipe: recipes[tool], added, original: text }
        expect(removeHooks(merged, facts)).toBe(text)
        for (const event of tools[tool].events) {
          const list = findNode(parseJsonc(merged), recipes[tool].listOf(event))
          const before = findNode(parseJsonc(text), recipes[tool].listOf(event))
          const foreign = before === null ? [] : (readValue(before) as unknown[])
          expect(list === null ? null : readValue(list)).toEqual([
            ...foreign,
            recipes[tool].item(event, commandOf(tool)(event)),
          ])
        }
        const rest = { ...(parse(text) as object), hooks: 0, version: 0, 'fairgate-recorder': 0 }
        expect({ ...(parse(merged) as object), hooks: 0, version: 0, 'fairgate-recorder': 0 }).toEqual(rest)
        if (!accepts.includes('comment')) JSON.parse(merged.replace(/^\uFEFF/, ''))
      }),
      { numRuns: 100 },
    )
  }, 300_000)

  test('what others add after us stays', () => {
    const foreign = { command: 'theirs' }
    fc.assert(
      fc.property(files, fc.constantFrom(...tools[tool].events), (text, event) => {
        const { text: merged, added } = merge(tool, text)
        const path = recipes[tool].listOf(event)
        const theirs = insertMember(insertItem(merged, path, foreign), [], 'theirs', 1)
        const facts = { recipe: recipes[tool], added, original: text }
        const rest = parseJsonc(removeHooks(theirs, facts))
        const before = findNode(parseJsonc(text), path)
        const list = before === null ? [] : (readValue(before) as unknown[])
        expect(readValue(findNode(rest, path) ?? rest)).toEqual([...list, foreign])
        const others = (value: unknown) => ({ ...(value as object), version: 0, [path[0] ?? '']: 0 })
        expect(others(readValue(rest))).toEqual({ ...others(parse(text)), theirs: 1 })
      }),
      { numRuns: 50 },
    )
  }, 300_000)

  test('a missing file is created with every event, and removed again', () => {
    const { text, added } = merge(tool, null)
    expect(text.endsWith('}\n')).toBe(true)
    const value = JSON.stringify(parse(text))
    for (const event of tools[tool].events) expect(value).toContain(`hook ${tool} ${event}`)
    const facts = { recipe: recipes[tool], added, original: null }
    expect(parse(removeHooks(text, facts))).toEqual({})
  })

  test.each(['{', '[]', 'null', '{"hooks": 1}', '{"a": 1 "b": 2}', '/* open', '{"a": 01}'])(
    'refuses %p',
    text => {
      const refused = tool === 'antigravity' && text.includes('hooks') ? '{"fairgate-recorder": 1}' : text
      expect(() => merge(tool, refused)).toThrow(/is not|does not|not valid/)
    },
  )
})

test('changes by others stay', () => {
  const original = '{\n  "model": "x"\n}\n'
  const { text, added } = merge('claude', original)
  const changed = text
    .replace('"model": "x"', '// mine\n  "model": "y"')
    .replace('"Stop": [', '"Stop": [\n      {"hooks": [{"type": "command", "command": "mine"}]},')
  const facts = { recipe: recipes.claude, added, original }
  expect(parse(removeHooks(changed, facts))).toEqual({
    model: 'y',
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
  })
  expect(removeHooks(changed, facts)).toContain('// mine')
})

test('a hook that the user put into our group stays, and keeps the group', () => {
  const { text, added } = merge('codex', null)
  const changed = text.replace(
    /(hook codex Stop",\s+"timeout": 10\s+\})/,
    '$1, {"type":"command","command":"mine"}',
  )
  const facts = { recipe: recipes.codex, added, original: null }
  expect(merge('codex', changed).text).toBe(changed)
  expect(parse(removeHooks(changed, facts))).toEqual({
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
  })
})

test('a command that moved is brought up to date in its place', () => {
  const { text } = merge(
    'cursor',
    '{"version":1,"hooks":{"stop":[{"command":"/old/fairgate-recorder hook cursor stop"}]}}',
  )
  expect(parse(text)).toMatchObject({
    hooks: { stop: [{ command: '/w/.git/fairgate/fairgate-recorder hook cursor stop', timeout: 10 }] },
  })
})
