// Lines of several processes on one output.
import { expect, test } from 'bun:test'
import { relayLines } from './start-process.ts'

const encode = (text: string) => new TextEncoder().encode(text)

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield encode(text)
}

async function relayed(...texts: string[]): Promise<string[]> {
  const written: string[] = []
  await relayLines(pieces(...texts), async bytes => written.push(new TextDecoder().decode(bytes)))
  return written
}

test.each([
  [['one\ntwo\n'], ['one\ntwo\n']],
  [
    ['one\ntw', 'o', '\nthree\n'],
    ['one\n', 'two\nthree\n'],
  ],
  [['no end'], ['no end\n']],
  [[''], []],
  [['größ', 'e\n'], ['größe\n']],
])('%p is written as %p', async (given, written) => {
  expect(await relayed(...given)).toEqual(written)
})

test('a character split between two chunks arrives whole', async () => {
  const bytes = encode('é\n')
  const written: string[] = []
  const output = (async function* () {
    yield bytes.subarray(0, 1)
    yield bytes.subarray(1)
  })()
  await relayLines(output, async part => written.push(new TextDecoder().decode(part)))
  expect(written).toEqual(['é\n'])
})

test('a line without an end does not stay in memory', async () => {
  const [first = '', rest] = await relayed('x'.repeat(1024 * 1024), 'y', 'z\n')
  expect(first.length).toBe(1024 * 1024 + 2)
  expect(rest).toBe('z\n')
})

test('nothing is read until the last chunk is written', async () => {
  const writing = Promise.withResolvers<void>()
  let read = 0
  const output = (async function* () {
    for (; read < 3; read += 1) yield encode('line\n')
  })()
  const over = relayLines(output, () => writing.promise)
  await Promise.resolve()
  expect(read).toBe(0)
  writing.resolve()
  await over
  expect(read).toBe(3)
})
