// Settings of tools can be pointed at the gateway and put back without a trace, whatever the files look like.

import { describe, expect, test } from 'bun:test'
import { connectableTools } from '@fairgate/contracts/agents/known-tools.ts'
import fc from 'fast-check'
import { listsLine } from '../install/files/marked-block.ts'
import { removeOwnedLines } from '../install/files/owned-lines.ts'
import { findNode, parseJsonc, readValue } from '../install/jsonc/jsonc.ts'
import { setMembers, unsetMembers } from '../install/jsonc/set-members.ts'
import { connections } from './connections.ts'
import { editEnv, editToml, listTomlLines } from './edit-lines.ts'
import type { SettingsEdit } from './recipe.ts'

const gateway = { url: 'https://gateway.example.org', key: 'sk-secret', model: 'mm-2.5-flash' }
const places = {
  root: '/w',
  home: '/h',
  readText: () => null,
  environment: {},
  keyFile: '/w/.git/fairgate/gateway-key',
}
const edits = connectableTools.flatMap(tool => connections[tool].edits(gateway, places))
const codex = edits.find(edit => edit.format === 'toml')
const jsonEdits = edits.filter(
  (edit): edit is Extract<SettingsEdit, { format: 'json' }> => edit.format === 'json',
)
if (codex?.format !== 'toml') throw new Error('Codex has no TOML')

/** Bun reads all of TOML, so it can say what a tool would read. */
const readToml = (text: string) => Bun.TOML.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>

const removeToml = (text: string) => removeOwnedLines(text, listsLine(listTomlLines(codex)))

const lineEnds = fc.constantFrom('\n', '\r\n')

describe('TOML', () => {
  const line = fc.constantFrom(
    '# a comment',
    '',
    'model = "gpt-6"  # mine',
    "model_provider = 'other'",
    'profile = "work"',
    'web_search = "live"',
    'approval_policy = "on-request"',
    'notes = """',
    'features.goals = true',
  )
  const table = fc.constantFrom(
    '[features]\nplugins = true',
    '[model_providers]\nother = { name = "o", base_url = "http://127.0.0.1:1/v1" }',
    '[model_providers.other]\nname = "o"',
    '[projects."/w/a.b"]\ntrust_level = "trusted"',
    '[tui]\nmodel = "not ours"',
    '[[list]]\nmodel = 1',
  )
  const file = fc
    .record({
      top: fc.uniqueArray(line, {
        maxLength: 6,
        selector: text => (text === '' || text.startsWith('#') ? Math.random() : text.split(/[ .]/)[0]),
      }),
      tables: fc.uniqueArray(table, {
        maxLength: 4,
        selector: text => text.split('\n')[0]?.replace('[model_providers.other]', '[model_providers]'),
      }),
      lineEnd: lineEnds,
      hasMark: fc.boolean(),
      isEnded: fc.boolean(),
    })
    .map(({ top, tables, lineEnd, hasMark, isEnded }) => {
      const lines = [
        ...top.flatMap(text => (text.endsWith('"""') ? [text, 'model = "inside a text"', '"""'] : [text])),
        ...tables,
      ]
      const text = lines.join('\n').replaceAll('\n', lineEnd)
      return `${hasMark ? '\uFEFF' : ''}${text}${isEnded && text !== '' ? lineEnd : ''}`
    })
    .filter(text => {
      // `features.goals` beside `[features]` is not valid, and no tool would have written it.
      try {
        readToml(text)
        return true
      } catch {
        return false
      }
    })

  test('any valid file leads to the gateway, is still valid, and comes back to the byte', () => {
    fc.assert(
      fc.property(file, text => {
        const edited = editToml(text, codex)
        expect(readToml(edited)).toMatchObject({
          model: 'mm-2.5-flash',
          model_provider: 'fairgate',
          web_search: 'disabled',
          model_providers: {
            fairgate: { base_url: 'https://gateway.example.org/v1', experimental_bearer_token: 'sk-secret' },
          },
        })
        expect(readToml(edited)).not.toHaveProperty('profile')
        expect(editToml(edited, codex)).toBe(edited)
        expect(removeToml(edited)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  /** Codex adds keys after ours, and tables before the last comment of the file. */
  const foreign = fc.record({
    keys: fc.subarray(['# a note', 'personality = "friendly"', 'notify = ["a"]', 'features.view = true']),
    tables: fc.subarray([
      '\n[mcp_servers.docs]\ncommand = "npx"\nmodel = "not ours"\nplugins = false',
      '\n[projects."/w"]\ntrust_level = "trusted"',
      '\n# [last] = note',
    ]),
    at: fc.nat(7),
    hasEnd: fc.boolean(),
  })

  // Shown to fail when everything between the marks counts as ours.
  test('what others write between the marks survives another connect and disconnect, with or without our last mark', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', 'approval_policy = "never"\n', 'model = "gpt-6"\n'),
        foreign,
        (text, theirs) => {
          const { keys, tables, at, hasEnd } = theirs
          const lines = editToml(text, codex).split('\n')
          const end = lines.findIndex(line => line.startsWith('# <<<'))
          // Tables can only be there if nothing of the user's root follows, except in a comment.
          const added = text.startsWith('approval') ? [] : tables
          lines.splice(end, hasEnd ? 0 : 1, ...added)
          lines.splice(Math.min(at + 1, end), 0, ...keys)
          const met = lines.join('\n')
          const listed = [...keys, ...added.flatMap(table => table.trim().split('\n'))]
          const moved = { ...codex, root: { ...codex.root, model: 'mm-3' } }
          for (const kept of [removeToml(met), editToml(met, moved), removeToml(editToml(met, moved))])
            for (const line of listed) expect(kept.split('\n')).toContain(line)
          const own = readToml([...keys, text, ...added].join('\n'))
          expect(readToml(removeToml(met))).toEqual(own)
          expect(readToml(removeToml(editToml(met, moved)))).toEqual(own)
          expect(readToml(editToml(met, moved))).toMatchObject({ model: 'mm-3', model_provider: 'fairgate' })
          // Nothing has to be done: `doctor` asks this way whether the gateway is still named.
          expect(editToml(met, codex)).toBe(met)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('a setting that was set aside and then added again stays a comment', () => {
    const edited = editToml('profile = "work"\n', codex)
    const rest = removeToml(edited.replace('# <<<', 'profile = "home"\n# <<<'))
    expect(readToml(rest)).toEqual({ profile: 'home' })
    expect(rest).toContain('# profile = "work"')
  })

  test('what the tool adds later stays, and a value of the user in an optional table counts', () => {
    const before = '[features]\nplugins = true\n'
    const edited = editToml(before, codex)
    expect(readToml(edited)).toMatchObject({ features: { plugins: true, apps: false, goals: false } })
    const later = `${edited}\n[projects."/w"]\ntrust_level = "trusted"\n`
    expect(removeToml(later)).toBe(`${before}\n[projects."/w"]\ntrust_level = "trusted"\n`)
  })

  test.each([
    ['a provider of the same name', '[model_providers.fairgate]\nname = "mine"\n', 'it already has'],
    ['all providers in one value', 'model_providers = { a = { name = "a" } }\n', 'is written as one value'],
    ['a model over several lines', 'model = """\ngpt"""\n', 'takes several lines'],
  ])('%s is left as it is', (_, text, reason) => {
    expect(() => editToml(text, codex)).toThrow(reason)
  })

  test('a block without its beginning is left as it is', () => {
    expect(() => editToml('model = "a"\n# <<< fairgate-connection\n', codex)).toThrow('is missing')
  })
})

describe('variables in a file', () => {
  const variables = { GEMINI_API_KEY: 'sk-secret', GEMINI_MODEL: 'mm-2.5-flash' }
  const line = fc.constantFrom('# mine', '', 'GEMINI_API_KEY=own', 'export GEMINI_MODEL = "x"', 'OTHER=1')
  const file = fc
    .record({ lines: fc.array(line, { maxLength: 6 }), lineEnd: lineEnds, isEnded: fc.boolean() })
    .map(({ lines, lineEnd, isEnded }) => lines.join(lineEnd) + (isEnded ? lineEnd : ''))

  test('each is there once, and the file comes back to the byte', () => {
    fc.assert(
      fc.property(file, text => {
        const edited = editEnv(text, { variables })
        const active = edited.split(/\r?\n/).filter(each => !each.startsWith('#'))
        expect(active.filter(each => /GEMINI_API_KEY/.test(each))).toEqual(['GEMINI_API_KEY=sk-secret'])
        expect(active.filter(each => /GEMINI_MODEL/.test(each))).toEqual(['GEMINI_MODEL=mm-2.5-flash'])
        expect(editEnv(edited, { variables })).toBe(edited)
        expect(removeOwnedLines(edited, listsLine(Object.keys(variables)))).toBe(text)
      }),
    )
  })
})

describe('JSON', () => {
  /** Layout of a generated file. */
  type Layout = { indent: string; lineEnd: string; comments: boolean; compact: boolean }

  function write(value: unknown, layout: Layout, depth = 0): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const { indent, lineEnd, comments, compact } = layout
    const open = compact ? '' : lineEnd + indent.repeat(depth + 1)
    const close = compact ? '' : lineEnd + indent.repeat(depth)
    const members = Object.entries(value).map(
      ([name, inner]) => `${JSON.stringify(name)}: ${write(inner, layout, depth + 1)}`,
    )
    if (members.length === 0) return '{}'
    const note = comments && !compact ? `${open}// note` : ''
    return `{${note}${open}${members.join(`,${open}`)}${close}}`
  }

  const layout = fc.record({
    indent: fc.constantFrom('  ', '    ', '\t'),
    lineEnd: lineEnds,
    comments: fc.boolean(),
    compact: fc.boolean(),
  })
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null))
  const own = fc.dictionary(fc.constantFrom('theme', 'ui', 'other'), leaf)

  test.each(jsonEdits.map(edit => [edit.path, edit] as const))('%s', (_, { members, accepts }) => {
    // Objects that some paths lead through, and values that some paths already have.
    const valueUnder = ([, next = '']: readonly string[], isDeep: boolean): fc.Arbitrary<unknown> =>
      next === '' ? leaf : fc.dictionary<unknown>(fc.constantFrom(next, 'mine'), isDeep ? own : leaf)
    const outer = fc.record(
      Object.fromEntries(members.map(([path]) => [path[0] ?? '', valueUnder(path, path.length > 2)])),
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(own, outer, layout, (others, known, style) => {
        const text = `${write({ ...others, ...known }, { ...style, comments: style.comments && accepts.includes('comment') })}\n`
        const result = setMembers(text, members, accepts)
        for (const [path, value] of members) {
          const node = findNode(parseJsonc(result.text), path)
          expect(node === null ? undefined : readValue(node)).toEqual(value)
        }
        expect(setMembers(result.text, members, accepts)).toEqual({ text: result.text, set: [], made: [] })
        expect(unsetMembers(result.text, result, text)).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  test('an object that the user has filled meanwhile stays', () => {
    const { text, ...how } = setMembers(null, [[['env', 'A'], '1']], [])
    expect(unsetMembers(text.replace('"A": "1"', '"A": "1", "B": "2"'), how, null)).toContain('"B": "2"')
  })

  test.each([
    ['{ "env": 3 }', '"env" is not an object'],
    ['[]', 'it does not contain a JSON object'],
    ['{ oops }', 'it is not valid JSON (line 1'],
  ])('%s is left as it is', (text, reason) => {
    expect(() => setMembers(text, [[['env', 'A'], '1']], [])).toThrow(reason)
  })
})
