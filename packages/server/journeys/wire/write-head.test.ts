// Checks that the short form of a head loses no header: one without a usual header is written in full.
import { expect, test } from 'bun:test'
import { writeReplyHead } from './write-head.ts'

const start = 'HTTP/1.1 200 OK'
const usual = [
  'Content-Type: application/json;charset=utf-8',
  'X-Content-Type-Options: nosniff',
  'x-gateway-call-id: <id of plain>',
  'Date: <any>',
  'Content-Length: 7',
]
const write = (headers: readonly string[]) => writeReplyHead(start, headers, 'plain')

test('a usual head has a name, and other headers are shown below it', () => {
  expect(write(usual)).toEqual([`${start}, json, 7 bytes`])
  expect(write(usual.toSpliced(2, 0, 'retry-after: 9', 'allow: GET'))).toEqual([
    `${start}, json, 7 bytes`,
    'retry-after: 9 ⏎ allow: GET',
  ])
})

test('a head without a usual header, or with one in another place or case, has no name', () => {
  const swapped = [usual[1] ?? '', usual[0] ?? '', ...usual.slice(2)]
  const lowercase = usual.map(header => header.replace('Content-Length', 'content-length'))
  const foreign = usual.map(header => header.replace('<id of plain>', '<id of other>'))
  const missing = usual.map((_, index) => usual.toSpliced(index, 1))
  for (const headers of [swapped, lowercase, foreign, ...missing])
    expect(write(headers).flatMap(line => line.split(' ⏎ '))).toEqual([start, ...headers])
})

test('rate limit headers are merged only if all three are there, in order', () => {
  const limit = ['limit', 'remaining', 'reset'].map(name => `x-ratelimit-${name}-tokens: ${name.length}`)
  expect(write(limit)).toEqual([start, 'x-ratelimit-*-tokens: 5, 9, 5'])
  expect(write(limit.toReversed())).toEqual([start, limit.toReversed().join(' ⏎ ')])
})
