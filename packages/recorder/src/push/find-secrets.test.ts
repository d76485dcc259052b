// What looks like a secret is noticed, and text that only mentions one is not.
import { expect, test } from 'bun:test'
import { findSecrets } from './find-secrets.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

test.each([
  [`key sk-${letters}`, ['API key']],
  [`aitc_${letters}`, ['log token']],
  [`ghp_${letters}`, ['GitHub token']],
  ['-----BEGIN RSA PRIVATE KEY-----', ['private key']],
  ['postgres://app:hunter2@db/x', ['password in an address']],
  ['https://example.org:8080/a@b', []],
  ['task-management and risk-assessment', []],
  ['set the password, then the token', []],
  ['', []],
])('%s', (text, kinds) => {
  expect(findSecrets(text)).toEqual(kinds)
})
