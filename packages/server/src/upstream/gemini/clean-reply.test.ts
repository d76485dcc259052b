// The vendor's remarks about a call lose our internals; everything else in a reply stays, to the byte.
import { expect, test } from 'bun:test'
import { cleanReply } from './clean-reply.ts'

const clean = (reply: string) => {
  const cleaned = cleanReply(Buffer.from(reply), text => text.replaceAll('ours', 'X'))
  return cleaned === null ? null : Buffer.from(cleaned).toString()
}

test.each([
  ['{ "candidates": [ {"finishMessage" :"ours é"} ] }', '{ "candidates": [ {"finishMessage" :"X é"} ] }'],
  [
    '{"candidates":[{"finishMessage":"ours"},{"a":1,"finishMessage":"ours \\" ours"}],"b":[1]}',
    '{"candidates":[{"finishMessage":"X"},{"a":1,"finishMessage":"X \\" X"}],"b":[1]}',
  ],
  ['{"promptFeedback":{"blockReasonMessage":"ours"}}', '{"promptFeedback":{"blockReasonMessage":"X"}}'],
  ['{"error":{"code":3,"message":"ours"}}', '{"error":{"code":3,"message":"X"}}'],
  [
    '{"error":{"message":"","details":[{"a":{"b":"ours"}}]}}',
    '{"error":{"message":"","details":[{"a":{"b":"X"}}]}}',
  ],
  [
    '{"response":{"raiMediaFilteredReasons":["ours", "x"]}}',
    '{"response":{"raiMediaFilteredReasons":["X","x"]}}',
  ],
  ['{"name":"x","error":"ours"}', '{"name":"x","error":"X"}'],
  ['[{"error":{"message":"ours"}}]', '[{"error":{"message":"X"}}]'],
  ['{"predictions":[{"raiFilteredReason":"ours"}]}', '{"predictions":[{"raiFilteredReason":"X"}]}'],
])('%s', (reply, cleaned) => {
  expect(clean(reply)).toBe(cleaned)
})

test.each([
  '{"candidates":[{"finishMessage":"fine"}]}',
  '{"candidates":[{"content":{"parts":[{"text":"message: ours"}]}}]}',
  '{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"finishMessage":"ours"}}}]}}]}',
  'no JSON, but a message: ours',
])('nothing to clean: %s', reply => {
  expect(clean(reply)).toBeNull()
})
