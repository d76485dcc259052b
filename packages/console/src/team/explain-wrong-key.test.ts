// Other kinds of secrets are recognised before they are sent.
import { expect, test } from 'bun:test'
import { explainWrongKey } from './explain-wrong-key.ts'

test('only possible gateway keys are sent', () => {
  expect(explainWrongKey('aitc_x')).toContain('log token')
  expect(explainWrongKey('adm-x')).toContain('admin key')
  expect(explainWrongKey('sk-x')).toBeNull()
})
