// Snippets are complete, have the right addresses, and show the key only if this tab has it.
import { expect, test } from 'bun:test'
import { chooseModels, exportLine, listSnippets } from './snippets.ts'

const facts = { base: 'https://gw.example', model: 'mm-2.5-pro', quickModel: 'mm-2.5-flash' }

test('each tool gets the address that it needs', () => {
  const addresses = listSnippets(facts).map(({ id, code }) => [
    id,
    /https:\/\/gw\.example[\w/]*/.exec(code)?.[0],
  ])
  expect(Object.fromEntries(addresses)).toEqual({
    codex: 'https://gw.example/v1',
    claude: 'https://gw.example',
    gemini: 'https://gw.example',
    opencode: 'https://gw.example/v1',
    python: 'https://gw.example/v1',
    javascript: 'https://gw.example/v1',
    vendor: 'https://gw.example/vendor',
    curl: 'https://gw.example/v1/chat/completions',
  })
})

test('no snippet contains the key, and the export line masks it', () => {
  for (const { code } of listSnippets(facts)) expect(code).not.toMatch(/sk-\w/)
  expect(exportLine(null, '4Kq2')).toBe('export FAIRGATE_KEY=sk-••••••••••••••••4Kq2')
  expect(exportLine('sk-secret', '4Kq2')).toBe('export FAIRGATE_KEY=sk-secret')
})

test('snippets use only models that the key can call', () => {
  const chat = (id: string) => ({ id, modality: 'chat' })
  expect(chooseModels([chat('mm-2.5-flash'), chat('mm-2.5-pro'), { id: 'img', modality: 'image' }])).toEqual({
    model: 'mm-2.5-pro',
    quickModel: 'mm-2.5-flash',
  })
  expect(chooseModels([chat('only')])).toEqual({ model: 'only', quickModel: 'only' })
})
