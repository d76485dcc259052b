// Forms that are read as they arrive: the same fields and bytes however the body is cut, and what is refused.
import { expect, test } from 'bun:test'
import { failureOf } from '../store/testing/failure-of.ts'
import { openFormStream } from './stream-form.ts'

const unhurried = {
  milliseconds: 0,
  startTimer: () => () => undefined,
  takeRoom: async () => ({ shrinkTo: () => undefined }),
  takeTurn: async () => undefined,
}

/** Sends the body in pieces of so many bytes. */
function send(body: Uint8Array, cut: number, boundary: string, headers: Record<string, string> = {}) {
  let at = 0
  return new Request('http://door/', {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
    body: new ReadableStream({
      pull: controller => {
        if (at >= body.byteLength) return controller.close()
        controller.enqueue(body.slice(at, at + cut))
        at += cut
      },
    }),
  })
}

async function read(request: Request, limit = 1_000_000) {
  const files: {
    filename: string
    type: string
    maxBytes: number | null
    bytes: Buffer
    before: string[]
  }[] = []
  const texts = await openFormStream(request, limit, unhurried).read('file', async (file, before) => {
    const pieces: Buffer[] = []
    for await (const piece of file.content) pieces.push(Buffer.from(piece))
    const { filename, type, maxBytes } = file
    files.push({ filename, type, maxBytes, bytes: Buffer.concat(pieces), before: [...before.keys()] })
  })
  return { texts: Object.fromEntries(texts), files }
}

/** As a client of the platform writes it. */
async function write(form: FormData) {
  const response = new Response(form)
  const boundary = /boundary=(.*)$/.exec(response.headers.get('content-type') ?? '')?.[1] ?? ''
  return { body: await response.bytes(), boundary }
}

test('every cut of the body gives the same fields and the same bytes', async () => {
  const form = new FormData()
  form.set('purpose', 'user_data')
  const bytes = Buffer.concat([Buffer.from('\r\n--\r\n\r\n-'), Buffer.from([0, 255, 13, 10, 45, 45])])
  form.set('other', new File(['skipped'], 'other.txt'))
  form.set('file', new File([bytes], 'a "b" é.bin', { type: 'image/png' }))
  form.set('after', 'ü')
  const { body, boundary } = await write(form)
  for (const cut of [1, 2, 3, 7, 50, body.byteLength]) {
    const { texts, files } = await read(send(body, cut, boundary))
    expect(texts).toEqual({ purpose: 'user_data', after: 'ü' })
    expect(files).toEqual([
      { filename: 'a "b" é.bin', type: 'image/png', maxBytes: null, bytes, before: ['purpose'] },
    ])
  }
})

test('the largest possible size of a file is exact if it comes last', async () => {
  const form = new FormData()
  form.set('purpose', 'vision')
  form.set('file', new File(['x'.repeat(1234)], 'a.txt'))
  const { body, boundary } = await write(form)
  const length = { 'content-length': String(body.byteLength) }
  expect((await read(send(body, 100, boundary, length))).files[0]?.maxBytes).toBe(1234)
})

const part = (head: string, body = 'x') => `--b\r\n${head}\r\n\r\n${body}\r\n`
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`

test.each([
  ['an escaped name', 'form-data; name="file"; filename="a\\"b.txt"', 'a"b.txt'],
  ['a name of browsers', 'form-data; name="file"; filename="a%22b.txt"', 'a"b.txt'],
  ['a word', 'form-data; name=file; filename=a.txt', 'a.txt'],
  ['RFC 8187', 'form-data; name="file"; filename*=utf-8\'\'%C3%A9.txt', 'é.txt'],
  ['no name', 'form-data; name="file"; filename=""', ''],
])('%s', async (_, disposition, filename) => {
  const body = Buffer.from(`${part(`content-disposition: ${disposition}`)}--b--`)
  expect((await read(send(body, 9, 'b'))).files[0]?.filename).toBe(filename)
})

test.each([
  ['another body', 'hello', 'The body is not a complete multipart form.'],
  ['one that is cut', `${part(named('a'))}--b`, 'The body is not a complete multipart form.'],
  [
    'a file that is cut',
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
    'The body is not a complete multipart form.',
  ],
  ['a repeated field', `${part(named('a'))}${part(named('a'))}--b--`, 'a is given twice.'],
  [
    'a part without a name',
    `${part('content-type: text/plain')}--b--`,
    'The body is not a complete multipart form. A part has no name.',
  ],
  [
    'long texts',
    `${part(named('a'), 'x'.repeat(70_000))}--b--`,
    'The body is not a complete multipart form. Its texts have more than 65536 bytes.',
  ],
  [
    'a long head',
    `${part(`${named('a')}\r\nx: ${'x'.repeat(9000)}`)}--b--`,
    'The body is not a complete multipart form. The head of a part is too long.',
  ],
  [
    'many parts',
    `${Array.from({ length: 65 }, (_, index) => part(named(`a${index}`))).join('')}--b--`,
    'The body is not a complete multipart form. It has more than 64 parts.',
  ],
])('%s is refused', async (_, body, message) => {
  expect(await failureOf(read(send(Buffer.from(body), 1000, 'b')))).toMatchObject({
    code: 'invalid_request',
    message,
  })
})

test('a body above the limit, and one of another type, are refused', async () => {
  const body = Buffer.from(`${part(named('a'), 'x'.repeat(500))}--b--`)
  expect(await failureOf(read(send(body, 100, 'b'), 300))).toMatchObject({ code: 'payload_too_large' })
  const json = { 'content-type': 'application/json' }
  expect(await failureOf(read(send(body, 100, 'b', json)))).toMatchObject({ code: 'unsupported_media_type' })
})

// Linear: each byte is looked at and copied once. Shown to fail by yielding nothing before the delimiter is found.
test('a large file in small pieces takes time in proportion', async () => {
  const time = async (bytes: number) => {
    const body = Buffer.concat([
      Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n'),
      Buffer.alloc(bytes, '\r\n--'),
      Buffer.from('\r\n--b--'),
    ])
    const start = performance.now()
    await openFormStream(send(body, 4096, 'b'), 1e9, unhurried).read('file', async ({ content }) => {
      for await (const _ of content);
    })
    return performance.now() - start
  }
  await time(1e6)
  expect(await time(16e6)).toBeLessThan(60 * Math.max(5, await time(1e6)))
})
