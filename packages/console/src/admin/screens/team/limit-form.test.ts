// Only changed limits are sent, and setting one model's limit leaves the others alone.
import { expect, test } from 'bun:test'
import { buildLimitChanges, openLimitForm } from './limit-form.ts'

const record = {
  max_budget: 25,
  rpm_limit: 300,
  tpm_limit: null,
  metadata: { model_rpm_limit: { pro: 20 }, model_tpm_limit: { flash: 1000 } },
}

test('an untouched form changes nothing', () => {
  const form = openLimitForm(record)
  expect(form).toEqual({
    budget: '25',
    rpm: '300',
    tpm: '',
    models: [
      { model: 'flash', rpm: '', tpm: '1000' },
      { model: 'pro', rpm: '20', tpm: '' },
    ],
  })
  const { changes, problems } = buildLimitChanges(record, form)
  expect(changes).toEqual({})
  expect(problems.size).toBe(0)
})

test('limits are set, removed, and added for one model', () => {
  const { changes } = buildLimitChanges(record, {
    budget: '12.50',
    rpm: '',
    tpm: '2,000',
    models: [
      { model: 'flash', rpm: '5', tpm: '1000' },
      { model: 'pro', rpm: '', tpm: '' },
    ],
  })
  expect(changes).toEqual({
    max_budget: 12.5,
    rpm_limit: null,
    tpm_limit: 2000,
    set_model_rpm_limit: { flash: 5, pro: null },
  })
})

test('a field without a valid number is reported', () => {
  const { changes, problems } = buildLimitChanges(record, {
    budget: 'much',
    rpm: '1.5',
    tpm: '',
    models: [{ model: 'pro', rpm: 'x', tpm: '' }],
  })
  expect([...problems.keys()].sort()).toEqual(['budget', 'pro rpm', 'rpm'])
  expect(changes).toEqual({})
})
