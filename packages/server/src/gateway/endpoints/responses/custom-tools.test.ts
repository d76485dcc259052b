// Free text through functions and back, regardless of what models put around it.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { declareCustomTool, unwrapCustomInput, wrapCustomInput } from './read-tools.ts'

test('any text comes back unchanged', () => {
  const plain = fc.string().filter(text => !/^\s*(?:[{`])/.test(text))
  fc.assert(fc.property(plain, text => unwrapCustomInput('exec', wrapCustomInput(text)) === text))
})

describe('wrappers that models put around a text are removed', () => {
  const patch = '*** Begin Patch\n*** Add File: a\n+b\n*** End Patch\n'
  test.each([
    ['JSON in JSON', wrapCustomInput(wrapCustomInput(patch)), patch],
    ['another name', JSON.stringify({ patch }), patch],
    ['a fence', wrapCustomInput(`\`\`\`diff\n${patch}\`\`\``), patch],
    ['words before a patch', wrapCustomInput(`Here it is:\n${patch}`), patch],
    ['a patch without its frame', wrapCustomInput('*** Add File: a\n+b'), patch],
    ['text that is not JSON', patch, patch],
  ])('%s', (_, said, input) => expect(unwrapCustomInput('apply_patch', said)).toBe(input))

  test('JSON that is the text itself stays', () => {
    expect(unwrapCustomInput('exec', wrapCustomInput('{"a":1}'))).toBe('{"a":1}')
  })
})

describe('the model gets', () => {
  const describeTool = (tool: object) =>
    declareCustomTool('exec', { type: 'custom', name: 'exec', ...tool }).function.description

  test('a note that the tool takes raw text', () => expect(describeTool({})).toStartWith('Give the raw text'))
  test('the description of the tool, and its grammar', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
    const said = describeTool({ description: 'Runs.', format })
    expect(said).toStartWith('Runs.\n\nGive the raw text')
    expect(said).toEndWith('The text must follow this lark grammar:\nstart: "x"')
  })
  test('no grammar for plain text', () =>
    expect(describeTool({ format: { type: 'text' } })).not.toContain('grammar'))
})
