// Multipart forms that are nearly right, wrong, and poisonous: fields left out or repeated, odd files, broken borders.
import fc from 'fast-check'
import { sampleFiles } from './sample-files.ts'

export type HostileForm = { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }

const models = ['imgalias-2', 'mm-3.5-transcribe-preview', 'mm-2.5-flash', 'none', '']
const oddNames = ['__proto__', 'constructor', 'file[]', 'image[]', '[]', '', 'a"b', 'x'.repeat(300)]
const oddValues = [
  '',
  '\u0000',
  '1',
  '-1',
  '1:1',
  'json',
  'srt',
  'word',
  '\ud800',
  '💥'.repeat(200),
  '[object Blob]',
]

const text = fc.oneof(fc.constantFrom(...oddValues), fc.string({ unit: 'binary', maxLength: 40 }))

const file: fc.Arbitrary<File> = fc.oneof(
  fc.constantFrom(...Object.values(sampleFiles)).map(build => build()),
  fc
    .tuple(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('a.wav', 'b.mp3', 'c.png', '../../d', 'e\r\nx: y', ''),
    )
    .map(([bytes, name]) => new File([new Uint8Array(bytes)], name)),
  // A header that promises more than there is.
  fc.constant(new File(['RIFF\xff\xff\xff\xffWAVEfmt '], 'cut.wav')),
)

/** Path → fields that make a right form; those that are files are made by their name. */
const rightForms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/images/edits': { model: 'imgalias-2', prompt: 'A cat', image: '' },
  '/audio/transcriptions': { model: 'mm-3.5-transcribe-preview', file: '' },
}

const usual = ['model', 'prompt', 'file', 'image', 'response_format', 'language', 'n', 'aspect_ratio']
const field = fc.tuple(
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...oddNames)),
  fc.oneof(text, file),
)

const wholeForm = fc
  .tuple(fc.constantFrom(...models), fc.boolean(), fc.array(field, { maxLength: 8 }))
  .map(([model, isLikely, fields]) => {
    const form = new FormData()
    form.append('model', model)
    if (isLikely) {
      form.append('prompt', 'A cat')
      for (const [name, build] of Object.entries(sampleFiles)) form.append(name, build())
    }
    for (const [name, value] of fields) form.append(name, value)
    return form
  })

async function encodeForm(form: FormData): Promise<HostileForm> {
  const response = new Response(form)
  const type = response.headers.get('content-type') ?? ''
  return { type, bytes: new Uint8Array(await response.arrayBuffer()) }
}

/** A form that the endpoint takes. */
export function buildRightForm(path: string): Promise<HostileForm> {
  const fields = rightForms[path.replace(/^\/v1(?=\/)/, '')]
  if (fields === undefined) throw new Error(`Tell this test what a right form for ${path} is.`)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    const build = sampleFiles[name]
    form.append(name, build === undefined ? value : build())
  }
  return encodeForm(form)
}

/** Cut anywhere, with the border of another form, or no form at all. */
export const hostileForms: fc.Arbitrary<() => Promise<HostileForm>> = fc
  .tuple(
    wholeForm,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.constantFrom('whole', 'cut', 'foreign', 'noise'),
  )
  .map(([form, share, kind]) => async () => {
    const { type, bytes } = await encodeForm(form)
    switch (kind) {
      case 'cut':
        return { type, bytes: bytes.slice(0, Math.floor(bytes.length * share)) }
      case 'foreign':
        return { type: 'multipart/form-data; boundary=elsewhere', bytes }
      case 'noise':
        return { type, bytes: bytes.map(value => (value * 31 + Math.floor(share * 255)) & 255) }
      default:
        return { type, bytes }
    }
  })
