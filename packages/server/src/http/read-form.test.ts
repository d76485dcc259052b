// Multipart forms: fields, files and lists; other bodies, and those too large, cut or with repeated fields, are refused.
import { expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { failureOf } from '../store/testing/failure-of.ts'
import { readForm } from './read-form.ts'

function buildForm(fields: readonly (readonly [string, string | Blob])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

const send = (body: FormData | string, headers: Record<string, string> = {}) =>
  new Request('http://door/', { method: 'POST', body, headers })

test('text is text, a file is a Blob with its bytes, name[] is a list', async () => {
  const file = new File(['abc'], 'a.wav', { type: 'audio/wav' })
  const fields = await readForm(
    send(
      buildForm([
        ['model', 'm'],
        ['list[]', 'word'],
        ['list[]', 'segment'],
        ['file', file],
        ['__proto__', 'x'],
      ]),
    ),
  )
  expect(fields.model).toBe('m')
  expect(fields.list).toEqual(['word', 'segment'])
  expect(fields.file).toBeInstanceOf(Blob)
  expect(await (fields.file as File).text()).toBe('abc')
  expect((fields.file as File).name).toBe('a.wav')
  expect(({} as Record<string, unknown>).x).toBeUndefined()
})

test.each([
  ['not a form', send('{}', { 'content-type': 'application/json' }), 'unsupported_media_type'],
  ['no boundary', send('x', { 'content-type': 'multipart/form-data' }), 'unsupported_media_type'],
  [
    'cut',
    send('--b\r\ncontent-dis', { 'content-type': 'multipart/form-data; boundary=b' }),
    'invalid_request',
  ],
  ['too large', send(buildForm([['a', 'x'.repeat(2000)]])), 'payload_too_large'],
  [
    'twice',
    send(
      buildForm([
        ['a', '1'],
        ['a', '2'],
      ]),
    ),
    'invalid_request',
  ],
] as const)('%s is refused', async (_, request, code) => {
  const failure = await failureOf(readForm(request, 1000))
  expect(failure).toBeInstanceOf(ApiError)
  expect((failure as ApiError).code).toBe(code)
})
