// The model form sends only what changed.
import { expect, test } from 'bun:test'
import type { CatalogModelRecord } from '@fairgate/contracts/management/catalog.ts'
import { buildEdit } from './model-draft.ts'

const model = {
  ...{ id: 'fast', modality: 'chat', upstream: 'vendor', upstream_id: 'gemini-fast', context_limit: 1000 },
  ...{ max_output: 100, typical_output: 10, reasoning: 'none', image_tokens: {}, formats: [], aliases: [] },
  ...{ price: { input: 0.3, output: 2.5 }, rpm_limit: null, tpm_limit: 500, retires_on: null },
} as unknown as CatalogModelRecord
const draft = {
  ...{ id: 'fast', upstreamId: 'gemini-fast', prices: { input: '0.3', output: '2.5' } },
  ...{ rpm: '', tpm: '500', retiresOn: '' },
}

test('an unchanged form sends nothing; changed and emptied members are sent', () => {
  expect(buildEdit(model, draft, false)).toBeNull()
  expect(buildEdit(model, { ...draft, prices: { input: '0.40', output: '2.5' } }, false)).toEqual({
    fast: { price: { input: 0.4 } },
  })
  expect(buildEdit(model, { ...draft, tpm: '', rpm: '60', retiresOn: '2026-12-31' }, false)).toEqual({
    fast: { rpm_limit: 60, tpm_limit: null, retires_on: '2026-12-31' },
  })
})

test.each([[{ prices: { input: '', output: '1' } }], [{ rpm: 'many' }], [{ retiresOn: '2026-13-01' }]])(
  '%j is incomplete',
  part => {
    expect(buildEdit(model, { ...draft, ...part }, false)).toBeNull()
  },
)

test('a new model copies the other one, without defaults', () => {
  expect(buildEdit(model, { ...draft, id: 'new', upstreamId: 'gemini-new', tpm: '' }, true)).toEqual({
    new: {
      ...{ upstream_id: 'gemini-new', context_limit: 1000, max_output: 100, typical_output: 10 },
      price: { input: 0.3, output: 2.5 },
    },
  })
})
