// Failed attempts are counted for the right client behind proxies: no one can claim another address.
import { describe, expect, test } from 'bun:test'
import { createTrustedAddresses } from '../config/listener-settings.ts'
import { createClientAddress, nameNetwork } from './client-address.ts'

const read = (trusted: readonly string[], address: string | null, forwarded: string | null) =>
  createClientAddress(createTrustedAddresses(trusted))(address, () => forwarded)

describe('the client', () => {
  test.each([
    ['no trusted proxy', [], '10.0.0.1', '203.0.113.9', '10.0.0.1'],
    ['a stranger sends the header', ['10.0.0.0/8'], '198.51.100.4', '203.0.113.9', '198.51.100.4'],
    ['our proxy names its client', ['10.0.0.0/8'], '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['the client invents an address', ['10.0.0.0/8'], '10.0.0.1', '1.2.3.4, 203.0.113.9', '203.0.113.9'],
    ['the client claims to be a proxy', ['10.0.0.0/8'], '10.0.0.1', '10.9.9.9, 203.0.113.9', '203.0.113.9'],
    ['two proxies', ['10.0.0.0/8', '192.0.2.7'], '10.0.0.1', '203.0.113.9, 192.0.2.7', '203.0.113.9'],
    ['proxies alone', ['10.0.0.0/8'], '10.0.0.1', '10.0.0.5', '10.0.0.5'],
    ['no header', ['10.0.0.1'], '10.0.0.1', null, '10.0.0.1'],
    ['nonsense', ['10.0.0.1'], '10.0.0.1', 'unknown', '10.0.0.1'],
    ['a port', ['10.0.0.1'], '10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['IPv6', ['2001:db8::/32'], '2001:db8::1', '[2606:2800::1]:443', '2606:2800::1'],
    ['IPv4 over IPv6', ['10.0.0.0/8'], '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['no connection', ['10.0.0.0/8'], null, '203.0.113.9', null],
  ] as const)('%s', (_, trusted, address, forwarded, client) => {
    expect(read(trusted, address, forwarded)).toBe(client)
  })
})

test.each(['10.0.0.0/33', '10.0.0.0/x', 'proxy.example', '10.0.0.0/8/8', '::/129', '/8'])(
  '%s is not an address',
  entry => {
    expect(() => createTrustedAddresses([entry])).toThrow(`"${entry}" is neither`)
  },
)

test('the addresses of one IPv6 network are one client, in any notation', () => {
  const network = nameNetwork('2001:db8:0:1::5')
  expect(nameNetwork('2001:0db8::1:ffff:0:0:1')).toBe(network)
  expect(nameNetwork('2001:db8:0:2::1')).not.toBe(network)
  expect([nameNetwork('192.0.2.1'), nameNetwork(null)]).toEqual(['192.0.2.1', 'unknown'])
})
