// Embeddings, images, speech, music and transcripts: every form of request and answer, at both kinds of upstream.
import type { Ask, Wire } from '../start-wire.ts'
import { recordMoney } from './record-money.ts'
import { pixelFile, rawReply, silenceFile } from './samples.ts'

export async function recordMedia(wire: Wire): Promise<void> {
  const key = await wire.team('media', { rpm_limit: 1000, tpm_limit: 100_000_000 })
  const post = (name: string, path: string, body: object) =>
    wire.ask(name, `POST ${path}`, { bearer: key, body })
  const send = (name: string, path: string, form: Ask['form']) =>
    wire.ask(name, `POST ${path}`, { bearer: key, form: form ?? {} })

  await recordEmbeddings(post, wire)
  await recordImages(post, send, wire)
  await recordSpeech(post)
  await recordTranscripts(send, wire)
  recordMoney(wire, 'media')
}

type Post = (name: string, path: string, body: object) => ReturnType<Wire['ask']>
type Send = (name: string, path: string, form: Ask['form']) => Promise<unknown>

async function recordEmbeddings(post: Post, wire: Wire): Promise<void> {
  const embed = (name: string, body: object, path = '/v1/embeddings') =>
    post(`embeddings: ${name}`, path, { model: 'mm-embedding-001', ...body })
  await embed('a text', { input: 'One text' })
  await embed('without the version', { input: 'One text', dimensions: 4 }, '/embeddings')
  await embed('several texts, short', { input: ['One text', 'and another'], dimensions: 4 })
  await embed('Base64', { input: ['One text'], dimensions: 4, encoding_format: 'base64' })
  await embed('tokens', { input: [9906, 1917], dimensions: 4 })
  await embed('lists of tokens', { input: [[9906], [1917]], dimensions: 4 })
  await embed('no input', {})
  await embed('an empty text', { input: '' })
  await embed('too many dimensions', { input: 'One text', dimensions: 4000 })
  await embed('an unknown token', { input: [99_999_999] })
  await embed('a chat model', { input: 'One text', model: 'mm-2.5-flash' })
  await embed('upstream 400', { input: '[[sandbox: error=400]]' })
  await embed('upstream 429', { input: '[[sandbox: error=429; retryDelay=9s]]' })
  await embed('upstream is silent', { input: '[[sandbox: hang]]' })
  await embed('own: a text', { model: 'own-embedder', input: 'One text', dimensions: 4 })
  await embed('own: Base64', {
    model: 'own-embedder',
    input: ['a', 'b'],
    dimensions: 4,
    encoding_format: 'base64',
  })
  await embed('own: upstream 400', { model: 'own-embedder', input: '[[sandbox: error=400]]' })
  wire.answerNext(rawReply('200 OK', 'application/json', '{"data":[]}'))
  await embed('own: upstream sends too few', { model: 'own-embedder', input: 'One text' })
}

async function recordImages(post: Post, send: Send, wire: Wire): Promise<void> {
  const paint = (name: string, body: object, path = '/v1/images/generations') =>
    post(`images: ${name}`, path, { prompt: 'A cat', ...body })
  await paint('by a chat model', { model: 'imgalias-2' })
  await paint('without the version', { model: 'imgalias', aspect_ratio: '16:9' }, '/images/generations')
  await paint('by an image model, two', {
    model: 'imggen-4',
    n: 2,
    size: '1536x1024',
    response_format: 'b64_json',
  })
  await paint('by an image model, with a ratio', { model: 'imggen-4-fast', aspect_ratio: '9:16' })
  await paint('one was filtered out', { model: 'imggen-4', n: 2, prompt: 'A cat [[sandbox: raiFiltered=1]]' })
  await paint('all were filtered out', { model: 'imggen-4', prompt: 'A cat [[sandbox: allFiltered]]' })
  await paint('the prompt is blocked', {
    model: 'imgalias-2',
    prompt: 'A cat [[sandbox: blockPrompt=SAFETY]]',
  })
  await paint('refused while it was made', {
    model: 'imgalias-2',
    prompt: 'A cat [[sandbox: finishReason=IMAGE_SAFETY]]',
  })
  await paint('two by a chat model', { model: 'imgalias-2', n: 2 })
  await paint('no prompt', { model: 'imgalias-2', prompt: undefined })
  await paint('an unknown size', { model: 'imggen-4', size: '17x4' })
  await paint('an unknown ratio', { model: 'imggen-4', aspect_ratio: '2:1' })
  const address = (await paint('as an address', { model: 'imggen-4', response_format: 'url' })).read(
    'data.0.url',
  )
  const path = new URL(address).pathname
  await wire.ask('images: at its address', `GET ${path}`, {})
  const guess = `image-${'0'.repeat(24)}.1.1.${'A'.repeat(43)}.png`
  await wire.ask('images: at a guessed address', `GET /v1/images/${guess}`, {})
  await paint('in an unknown form', { model: 'imggen-4', response_format: 'svg' })
  await paint('a chat model', { model: 'mm-2.5-flash' })
  await paint('upstream 400', { model: 'imggen-4', prompt: '[[sandbox: error=400]]' })
  wire.answerNext(rawReply('200 OK', 'application/json', '{"predictions":7}'))
  await paint('upstream sends another JSON', { model: 'imggen-4' })
  await paint('own: two', { model: 'own-painter', n: 2, size: '1024x1536' })
  await paint('own: by tokens', { model: 'own-image' })
  await paint('own: upstream 400', { model: 'own-painter', prompt: '[[sandbox: error=400]]' })

  const edit = (name: string, form: Ask['form'], path = '/v1/images/edits') =>
    send(`image edits: ${name}`, path, { prompt: 'Make it night', ...form })
  await edit('one image', { model: 'imgalias-2', image: pixelFile() })
  await edit(
    'without the version',
    { model: 'imgalias-2', image: pixelFile(), aspect_ratio: '4:3' },
    '/images/edits',
  )
  await edit('two images', { model: 'imgalias-pro', 'image[]': [pixelFile(), pixelFile()] })
  await edit('own', { model: 'own-image', image: pixelFile() })
  await edit('own, two', { model: 'own-image', 'image[]': [pixelFile(), pixelFile()], size: '1024x1024' })
  await edit('no image', { model: 'imgalias-2' })
  await edit('no file', { model: 'imgalias-2', image: 'pixel' })
  await edit('a text for an image', {
    model: 'imgalias-2',
    image: new File(['text'], 'a.png', { type: 'image/png' }),
  })
  await edit('a mask', { model: 'imgalias-2', image: pixelFile(), mask: pixelFile() })
  await edit('an image model', { model: 'imggen-4', image: pixelFile() })
  await post('image edits: JSON instead of a form', '/v1/images/edits', { model: 'imgalias-2' })
}

async function recordSpeech(post: Post): Promise<void> {
  const speak = (name: string, body: object, path = '/v1/audio/speech') =>
    post(`speech: ${name}`, path, {
      model: 'mm-2.5-flash-preview-tts',
      voice: 'Zephyr',
      input: 'Hi',
      ...body,
    })
  await speak('mp3', {})
  await speak('without the version', { response_format: 'wav' }, '/audio/speech')
  await speak('pcm, with instructions', {
    response_format: 'pcm',
    instructions: 'Whisper',
    speed: 1.5,
    voice: 'puck',
  })
  await speak('events', { stream_format: 'sse', response_format: 'pcm' })
  await speak('an unknown voice', { voice: 'Nobody' })
  await speak('FLAC', { response_format: 'flac' })
  await speak('a format without an encoder', { response_format: 'aac' })
  await speak('no input', { input: '' })
  await speak('a chat model', { model: 'mm-2.5-flash' })
  await speak('upstream 400', { input: '[[sandbox: error=400]]' })
  await speak('refused by its safety', { input: 'Hi [[sandbox: finishReason=SAFETY]]' })
  await speak('own: mp3', { model: 'own-speaker', voice: 'Nova' })
  await speak('own: wav', {
    model: 'own-speaker',
    voice: 'alloy',
    response_format: 'wav',
    instructions: 'Whisper',
  })
  await speak('own: an unknown voice', { model: 'own-speaker' })
  await speak('own: upstream 400', { model: 'own-speaker', voice: 'alloy', input: '[[sandbox: error=400]]' })

  const play = (name: string, body: object) =>
    post(`music: ${name}`, '/v1/audio/speech', {
      model: 'music-3-clip-preview',
      voice: 'default',
      input: 'Jazz [[sandbox: mediaSeconds=1]]',
      ...body,
    })
  await play('mp3', {})
  await play('wav', { model: 'music-3-pro-preview', response_format: 'wav' })
  await play('events', { stream_format: 'sse' })
  await play('a voice', { voice: 'Zephyr' })
  await play('wav of the clip model', { response_format: 'wav' })
  await play('the prompt is blocked', { input: 'Jazz [[sandbox: blockPrompt=SAFETY]]' })
  await play('upstream 429', { input: 'Jazz [[sandbox: error=429; retryDelay=9s]]' })
}

async function recordTranscripts(send: Send, wire: Wire): Promise<void> {
  const write = (name: string, form: Ask['form'] = {}, path = '/v1/audio/transcriptions') =>
    send(`transcripts: ${name}`, path, { model: 'mm-3.5-transcribe-preview', file: silenceFile(), ...form })
  await write('JSON')
  await write(
    'without the version',
    { language: 'en', prompt: 'Fairgate', temperature: '0' },
    '/audio/transcriptions',
  )
  await write('text', { response_format: 'text' })
  await write('verbose JSON', { response_format: 'verbose_json' })
  await write('verbose JSON with words', {
    response_format: 'verbose_json',
    'timestamp_granularities[]': 'word',
  })
  await write('srt', { response_format: 'srt' })
  await write('vtt', { response_format: 'vtt' })
  await write('streamed', { stream: 'true' })
  await write('streamed as text', { stream: 'true', response_format: 'text' })
  await write('an unknown form', { response_format: 'yaml' })
  await write('no recording', { file: new File(['text'], 'a.wav', { type: 'audio/wav' }) })
  await write('no file', { file: 'text' })
  await write('log probabilities', { include: 'logprobs' })
  await write('a chat model', { model: 'mm-2.5-flash' })
  wire.answerNext(
    rawReply(
      '400 Bad Request',
      'application/json',
      '{"error":{"code":400,"message":"No.","status":"INVALID_ARGUMENT"}}',
    ),
  )
  await write('upstream 400')
  await write('own: JSON', { model: 'own-writer' })
  await write('own: verbose JSON', { model: 'own-writer', response_format: 'verbose_json' })
  await write('own: srt', { model: 'own-writer', response_format: 'srt' })
  await write('own: upstream 400', { model: 'own-writer', prompt: '[[sandbox: error=400]]' })
}
