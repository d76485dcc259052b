// Checks which requests count as the same.
import { expect, test } from 'bun:test'
import { digestBody } from './digest-body.ts'

const file = (bytes: string, name = 'a.wav', type = 'audio/wav') => new File([bytes], name, { type })

test('the same fields and files are the same request in any encoding', async () => {
  expect(await digestBody({ model: 'm', input: 'Hello' })).toBe(
    await digestBody({ model: 'm', input: 'Hello' }),
  )
  expect(await digestBody({ model: 'm', file: file('abc') })).toBe(
    await digestBody({ model: 'm', file: file('abc') }),
  )
})

const others: readonly (readonly [string, object, object])[] = [
  ['text', { input: 'Hello' }, { input: 'hello' }],
  ['a member', { input: 'Hello' }, { input: 'Hello', n: 1 }],
  ['a text and a number', { n: 1 }, { n: '1' }],
  ['bytes', { file: file('abc') }, { file: file('abd') }],
  ['a name', { file: file('abc') }, { file: file('abc', 'b.wav') }],
  ['a type', { file: file('abc') }, { file: file('abc', 'a.wav', 'audio/mpeg') }],
  ['where one file ends', { files: [file('ab'), file('c')] }, { files: [file('a'), file('bc')] }],
  ['which field has the file', { file: file('abc') }, { image: file('abc') }],
]
for (const [name, one, other] of others) {
  test(`another request: ${name}`, async () => {
    expect(await digestBody(one)).not.toBe(await digestBody(other))
  })
}
