// Codes are split in half, and the join address leaves out the code.
import { expect, test } from 'bun:test'
import { addressOfQr, joinAddress, showCode } from './show-claim.ts'

test('a code is shown in two halves', () => {
  expect(showCode('K7QM2XPD3A')).toBe('K7QM2-XPD3A')
})

test('the address leaves out its code', () => {
  expect(joinAddress('https://gw.example/join/ABC', 'ABC')).toBe('https://gw.example/join')
  expect(joinAddress('https://gw.example/join/XYZ', 'ABC')).toBe('https://gw.example/join/XYZ')
})

test('a QR code is an escaped data URL', () => {
  expect(addressOfQr('<svg a="#"/>')).toBe('data:image/svg+xml;charset=utf-8,%3Csvg%20a%3D%22%23%22%2F%3E')
})
