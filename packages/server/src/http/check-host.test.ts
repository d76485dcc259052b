// Checks which Hosts the admin door answers, and that two Host headers are one too many.
import { expect, test } from 'bun:test'
import { createHostCheck, refuseHosts } from './check-host.ts'

const isAllowed = createHostCheck(['Admin.example.org', 'fairgate'])

test.each([
  '127.0.0.1',
  '10.0.0.5:4002',
  '[::1]:4002',
  '[fe80::1]',
  'localhost',
  'LOCALHOST:4002',
  'localhost.',
  'demo.localhost:80',
  'admin.example.org',
  'ADMIN.example.org:443',
  'fairgate:4002',
])('%s is answered', host => {
  expect(isAllowed(host)).toBe(true)
})

test.each([
  null,
  '',
  'evil.example',
  'evil.example:4002',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'notlocalhost',
  'admin.example.org.evil.example',
  'user@localhost',
  'localhost:4002:80',
  'localhost/',
  '[evil]',
  '::1',
])('%p is not', host => {
  expect(isAllowed(host)).toBe(false)
})

test('two Host headers are refused', () => {
  expect(refuseHosts('127.0.0.1, evil.example')?.message).toContain('more than one Host header')
  for (const host of [null, '', '127.0.0.1:4002']) expect(refuseHosts(host)).toBeNull()
})
