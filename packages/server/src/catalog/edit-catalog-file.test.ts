// Changing a model leaves the rest of the file as it was, comments included.
import { expect, test } from 'bun:test'
import { editCatalogFile } from './edit-catalog-file.ts'

const file = `# Ours.
models:
  # The quick one.
  fast:
    upstream_id: gemini-fast
    context_limit: 1000 # tokens
    price: { input: 0.30, output: 2.50 }

  slow:
    upstream_id: gemini-slow
    context_limit: 2000
    rpm_limit: 10
    price: { input: 1, output: 2 }
`

test('prices, limits and the retirement of a model are set one by one, and comments stay', () => {
  const { text, undo } = editCatalogFile(file, {
    fast: { price: { input: 0.4 }, retires_on: '2026-12-31' },
    slow: { rpm_limit: null, tpm_limit: 500 },
  })
  expect(text).toBe(
    file
      .replace('input: 0.30, output: 2.50 }\n', 'input: 0.40, output: 2.50 }\n    retires_on: 2026-12-31\n')
      .replace('    rpm_limit: 10\n', '')
      .replace('{ input: 1, output: 2 }\n', '{ input: 1, output: 2 }\n    tpm_limit: 500\n'),
  )
  expect(undo).toEqual({
    fast: { price: { input: 0.3 }, retires_on: null },
    slow: { rpm_limit: 10, tpm_limit: null },
  })
})

test('models are added and removed', () => {
  const entry = { upstream_id: 'gemini-new', price: { input: 1 } }
  const added = editCatalogFile(file, { new: entry })
  expect(added.text).toStartWith(file)
  expect(added.undo).toEqual({ new: null })
  const removed = editCatalogFile(added.text, { new: null })
  expect(removed).toEqual({ text: file, undo: { new: entry } })
  expect(editCatalogFile(file, removed.undo).text).toBe(added.text)
})

test('an unknown model, and text that is not YAML, are named', () => {
  expect(() => editCatalogFile(file, { gone: null })).toThrow('The file has no model "gone" to remove.')
  expect(() => editCatalogFile('models: [', {})).toThrow('The file is not YAML')
})
