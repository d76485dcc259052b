// Any set of tools gets names that the vendor accepts, all different, and each maps back.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createToolNames } from './tool-names.ts'

const taken = /^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$/

test.each<[string, string | null, string]>([
  ['Bash', null, 'Bash'],
  ['mcp__server__tool', null, 'mcp__server__tool'],
  ['spawn', 'agents', 'agents__spawn'],
])('%s of %p stays readable', (name, namespace, inner) => {
  expect(createToolNames().toInner(name, namespace)).toBe(inner)
})

test.each([['1st tool'], ['größe'], [''], ['x'.repeat(65)]])(
  '%p always becomes the same other name',
  name => {
    const inner = createToolNames().toInner(name)
    expect(inner).toMatch(taken)
    expect(createToolNames().toInner(name)).toBe(inner)
  },
)

test('a tool named like another with its namespace stays distinct from it', () => {
  const names = createToolNames()
  expect(names.toInner('b', 'a')).toBe('a__b')
  const other = names.toInner('a__b')
  expect(other).not.toBe('a__b')
  expect(names.toOuter(other)).toEqual({ name: 'a__b', namespace: null })
  expect(names.toOuter('a__b')).toEqual({ name: 'b', namespace: 'a' })
})

test('a name that a model made up comes back unchanged', () => {
  expect(createToolNames().toOuter('made_up')).toEqual({ name: 'made_up', namespace: null })
})

test('any tools', () => {
  const word = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[a-b_]{0,4}$/),
    fc.string({ minLength: 60, maxLength: 80 }),
  )
  const tool = fc.tuple(word, fc.option(word))
  fc.assert(
    fc.property(fc.array(tool), tools => {
      const names = createToolNames()
      const inner = tools.map(([name, namespace]) => names.toInner(name, namespace))
      for (const [index, [name, namespace]] of tools.entries()) {
        expect(inner[index]).toMatch(taken)
        expect(names.toInner(name, namespace)).toBe(inner[index] ?? '')
        expect(names.toOuter(inner[index] ?? '')).toEqual({ name, namespace })
      }
    }),
  )
})
