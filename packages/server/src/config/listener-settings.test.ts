// The settings of the listeners: every fault stops the start with the setting's name, and never shows a key.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { readAdminHosts, readDoorNames, readTls, readTrustedProxies } from './listener-settings.ts'

const file = (name: string) => join(import.meta.dir, '__fixtures__', name)
const cert = file('localhost-cert.pem')
const key = file('localhost-key.pem')

test('doors: all, or the named ones', () => {
  expect(readDoorNames({})).toEqual(['gateway', 'logbook', 'admin'])
  expect(readDoorNames({ FAIRGATE_DOORS: 'admin, gateway' })).toEqual(['gateway', 'admin'])
  for (const text of ['gateway,console', ','])
    expect(() => readDoorNames({ FAIRGATE_DOORS: text })).toThrow('FAIRGATE_DOORS must be one or more of')
})

test('trusted proxies', () => {
  expect(readTrustedProxies({ FAIRGATE_TRUSTED_PROXIES: '10.0.0.0/8, ::1' })).toEqual(['10.0.0.0/8', '::1'])
  expect(() => readTrustedProxies({ FAIRGATE_TRUSTED_PROXIES: 'all' })).toThrow(
    'FAIRGATE_TRUSTED_PROXIES: "all" is neither an address',
  )
})

describe('TLS', () => {
  test('a certificate with its key, or none', () => {
    expect(readTls({})).toBeNull()
    expect(readTls({ FAIRGATE_TLS_CERT: cert, FAIRGATE_TLS_KEY: key })?.cert).toContain('BEGIN CERTIFICATE')
  })

  test.each([
    ['one without the other', { FAIRGATE_TLS_CERT: cert }, 'go together'],
    [
      'no file',
      { FAIRGATE_TLS_CERT: '/nowhere.pem', FAIRGATE_TLS_KEY: key },
      'FAIRGATE_TLS_CERT: cannot read',
    ],
    ['no certificate', { FAIRGATE_TLS_CERT: key, FAIRGATE_TLS_KEY: key }, 'does not hold a PEM certificate'],
    ['no key', { FAIRGATE_TLS_CERT: cert, FAIRGATE_TLS_KEY: cert }, 'does not hold a PEM private key'],
    [
      "another's key",
      { FAIRGATE_TLS_CERT: cert, FAIRGATE_TLS_KEY: file('one-day-key.pem') },
      'does not match the certificate',
    ],
  ])('%s', (_, environment, message) => {
    expect(() => readTls(environment)).toThrow(message)
  })

  test('a certificate that has expired', () => {
    const environment = {
      FAIRGATE_TLS_CERT: file('one-day-cert.pem'),
      FAIRGATE_TLS_KEY: file('one-day-key.pem'),
    }
    expect(() => readTls(environment, new Date('2040-01-01'))).toThrow('the certificate expired at')
  })
})

test('the names under which the admin door answers', () => {
  const read = (names?: string) =>
    readAdminHosts(names === undefined ? {} : { FAIRGATE_ADMIN_HOSTS: names }, ['127.0.0.1'])
  expect(read()).toEqual(['127.0.0.1'])
  expect(read('admin.example.org, Fairgate')).toEqual(['admin.example.org', 'Fairgate', '127.0.0.1'])
  for (const wrong of ['admin.example.org:4002', 'https://admin.example.org', '*.example.org'])
    expect(() => read(wrong)).toThrow(`"${wrong}" is not one`)
})
