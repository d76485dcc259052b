// The explanation that a team reads about a call that was refused, failed or charged in an unusual way.
import { expect, test } from 'bun:test'
import { errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import { buildCallRecord } from '../store/testing/build-ledger-rows.ts'
import { explainCall } from './explain-call.ts'

const explain = (changes: Parameters<typeof buildCallRecord>[1]) =>
  explainCall(buildCallRecord('call-1', changes))
const figures = { level: 'team', limit: '25', used: '24.5', held: '0.3', reset: '2026-11-22T00:00:00.000Z' }

test('a call that simply worked needs no explanation', () => {
  expect(explain({})).toBeNull()
})

test('a refusal by a limit names the limit, its figures, and what to do', () => {
  const refused = { outcome: 'refused', refusal: figures } as const
  expect(explain({ ...refused, code: 'budget_exceeded' })).toBe(
    'Budget has been exceeded! The budget of the team is 25 USD, 24.5 USD is spent, and this call could cost more than what is left. ' +
      'Resets at 2026-11-22T00:00:00.000Z. Wait until then, use a cheaper model or ask for less output.',
  )
  expect(explain({ ...refused, code: 'budget_exceeded', refusal: { ...figures, reset: null } })).toEndWith(
    'than what is left. Use a cheaper model, ask for less output, or ask the organisers for more budget.',
  )
  expect(explain({ ...refused, code: 'budget_held' })).toEndWith('Try again when they have ended.')
  expect(explain({ ...refused, code: 'rpm_exceeded' })).toStartWith('Rate limit exceeded for the team.')
  expect(explain({ ...refused, code: 'tpm_exceeded' })).toContain('used or reserved: 24.5')
  expect(explain({ ...refused, code: 'parallel_exceeded' })).toEndWith('when one of them has ended.')
})

test('a refusal with missing or absurd figures is explained by its code', () => {
  const refused = { outcome: 'refused', code: 'rpm_exceeded' } as const
  const plain = errorRegistry.rpm_exceeded.message
  expect(explain(refused)).toBe(plain)
  expect(explain({ ...refused, refusal: { ...figures, level: 'planet' } })).toBe(plain)
})

test('an unknown model is named', () => {
  const refused = { outcome: 'refused', modelAsked: 'gpt-9' } as const
  expect(explain({ ...refused, code: 'model_not_found' })).toBe(
    'No such model. GET /v1/models lists what this key can call. Asked for: gpt-9.',
  )
  expect(explain({ ...refused, code: 'model_not_allowed' })).toContain('Asked for: gpt-9. Use another model')
})

test.each(Object.keys(errorRegistry))('%s has a sentence', code => {
  expect(explain({ outcome: 'refused', code })).toMatch(/^[A-Z].{5,}[.!…]/)
})

test('a code of another version is shown as it is', () => {
  expect(explain({ outcome: 'refused', code: 'too_loud' })).toBe('The call ended with the error too_loud.')
})

test('shows if a failed call was charged', () => {
  const failed = { outcome: 'failed', code: 'upstream_timeout' } as const
  expect(explain(failed)).toEndWith('Nothing was charged.')
  expect(explain({ ...failed, cost: 5 })).toEndWith('The work done up to then was charged.')
  expect(explain({ outcome: 'failed' })).toStartWith('The answer could not be completed.')
  expect(explain({ outcome: 'client_closed' })).toEndWith('Nothing was charged.')
  expect(explain({ outcome: 'client_closed', cost: 5 })).toEndWith('was charged.')
  expect(explain({ outcome: 'interrupted', cost: 5 })).toContain('The server stopped')
  expect(explain({ outcome: 'replayed' })).toContain('at no cost')
})

test('explains a cost that is not usage × price', () => {
  expect(explain({ flag: 'usage_absent', cost: 5 })).toStartWith('The model did not report its usage')
  expect(explain({ outcome: 'client_closed', flag: 'estimated', cost: 5 })).toEndWith(
    'so the cost is an estimate.',
  )
})
