// Our internals in an upstream's text never show; text about the request does.
import { expect, test } from 'bun:test'
import { redact } from './redact.ts'

test.each([
  ['Consumer projects/123456 is blocked.', 'Consumer [project] is blocked.'],
  ["consumer 'projects/my-project-1'", "consumer '[project]'"],
  ['Quota of project_number:123456789, exceeded', 'Quota of [project], exceeded'],
  ['for project 123456789', 'for [project]'],
  ['project number: 123456789', '[project]'],
  ['"project_id": "my-project-1"', '"[project]"'],
  ['organizations/998877 and billingAccounts/0X-1', '[project] and [project]'],
  ['api_key:AbC-123_x is wrong', '[key] is wrong'],
  ['?key=AbC-123_x&alt=sse', '?[key]&alt=sse'],
  ['AIzaSyA0123456789012345678901234567890', '[key]'],
  ['Bearer abcdefghijkl', '[key]'],
  ['ya29.a0Af_x', '[key]'],
  ['robot@my-project.iam.gserviceaccount.com may not', '[account] may not'],
  ['See https://vendor.example/quota?key=1 for more', 'See [link] for more'],
  ['our own-secret here', 'our [key] here'],
  ['reached in organization org-AbC123xyz on proj_AbC123', 'reached in organization [account] on [project]'],
  // About the request.
  ['Invalid key: temperature', 'Invalid key: temperature'],
  ['The project was good; page 1234', 'The project was good; page 1234'],
  ['Unknown name "projects" at contents[0]', 'Unknown name "projects" at contents[0]'],
  ['API key not valid.', 'API key not valid.'],
])('%p → %p', (text, shown) => {
  expect(redact(text, 'own-secret')).toBe(shown)
})

test('an endless text is searched only up to its bound', () => {
  expect(redact('a'.repeat(5_000_000), '')).toHaveLength(10_000)
})
