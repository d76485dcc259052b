// Which addresses an image may be fetched from.
import { describe, expect, test } from 'bun:test'
import { isPublicAddress } from './is-public-address.ts'

describe('public', () => {
  test.each([
    ['8.8.8.8'],
    ['93.184.216.34'],
    ['172.15.255.255'],
    ['172.32.0.1'],
    ['100.63.255.255'],
    ['100.128.0.1'],
    ['169.253.1.1'],
    ['198.17.1.1'],
    ['223.255.255.255'],
    ['2606:4700::1111'],
    ['2a00:1450:4001:800::200e'],
  ])('%s', address => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('not public', () => {
  test.each([
    ['this network', '0.0.0.0'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared (CGNAT)', '100.64.0.1'],
    ['shared (CGNAT)', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, cloud metadata', '169.254.169.254'],
    ['protocol assignments', '192.0.0.8'],
    ['documentation', '192.0.2.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['documentation', '203.0.113.9'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
    ['IPv4-mapped loopback in hex', '::ffff:7f00:1'],
    ['IPv4-mapped public', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::8.8.8.8'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::1'],
    ['discard', '100::1'],
    ['unique local', 'fd00:ec2::254'],
    ['unique local', 'fc00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['multicast', 'ff02::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['6to4 of a private address', '2002:a00:1::'],
    ['documentation', '3fff::1'],
    ['a zone on a global address', '2606:4700::1%1'],
    ['a name', 'localhost'],
    ['nothing', ''],
    ['a short form', '127.1'],
    ['octal', '0177.0.0.1'],
  ])('%s: %s', (_kind, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
