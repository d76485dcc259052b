// suite: test on sqlite; full on postgres; 15 s
// Files that teams upload, by the official clients: upload, list, download, delete, and use as input, at the price of the same data inline.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI, { APIError } from 'openai'
import { buildImage } from './testing/sample-files.ts'
import { type Fairgate, startFairgate } from './testing/start-fairgate.ts'
import { readCharges } from './testing/stored-rows.ts'

let fairgate: Fairgate
beforeAll(async () => {
  fairgate = await startFairgate({ settings: 'files: { team_mebibytes: 1 }' })
})
afterAll(() => fairgate.stop())

const model = 'mm-2.5-flash'
const pdf = Buffer.from('%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF')
const pdfUrl = `data:application/pdf;base64,${pdf.toString('base64')}`
const buildPdf = () => new File([pdf], 'report.pdf', { type: 'application/pdf' })

let teams = 0
async function openTeam() {
  teams += 1
  const name = `files-${teams}`
  const apiKey = await fairgate.manage.team(name, { max_budget: 10 })
  return {
    name,
    key: apiKey,
    openai: new OpenAI({ apiKey, baseURL: `${fairgate.gatewayUrl}/v1`, maxRetries: 0 }),
    google: (baseUrl = `${fairgate.gatewayUrl}/vendor`) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }),
    anthropic: new Anthropic({ apiKey, baseURL: fairgate.gatewayUrl, maxRetries: 0 }),
  }
}

const costsOf = async (team: string) =>
  (await readCharges(fairgate.place, team)).map(({ cost_nano }) => cost_nano)

/** Used instead of `rejects`, which blocks the thread and treats the client's promises as settled. */
const failureOf = async (call: PromiseLike<unknown>): Promise<{ status: number; message: string }> => {
  try {
    await call
  } catch (error) {
    if (error instanceof APIError || error instanceof Anthropic.APIError)
      return { status: Number(error.status), message: error.message }
    throw error
  }
  throw new Error('The call succeeded.')
}

describe("OpenAI's client", () => {
  test('uploads, lists, describes, downloads and deletes', async () => {
    const { openai } = await openTeam()
    const file = await openai.files.create({ file: buildPdf(), purpose: 'user_data' })
    expect(file).toMatchObject({
      object: 'file',
      bytes: pdf.byteLength,
      filename: 'report.pdf',
      purpose: 'user_data',
      status: 'processed',
    })
    expect(file.expires_at).toBe(file.created_at + 30 * 86_400)
    const image = await openai.files.create({ file: buildImage(), purpose: 'vision' })
    expect((await openai.files.list({ limit: 1, order: 'asc' })).data.map(({ id }) => id)).toEqual([file.id])
    const all: string[] = []
    for await (const { id } of openai.files.list({ limit: 1 })) all.push(id)
    expect(all.toSorted()).toEqual([file.id, image.id].toSorted())
    expect((await openai.files.list({ purpose: 'vision' })).data.map(({ id }) => id)).toEqual([image.id])
    expect(await openai.files.retrieve(file.id)).toEqual(file)
    const content = await openai.files.content(file.id)
    expect(content.headers.get('content-type')).toBe('application/octet-stream')
    expect(Buffer.from(await content.arrayBuffer())).toEqual(pdf)
    expect(await openai.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true })
    expect((await failureOf(openai.files.retrieve(file.id))).status).toBe(404)
  })

  test('uses a PDF and an image in a chat and in a response, at the price of the same data inline', async () => {
    const { name, openai } = await openTeam()
    const { id: document } = await openai.files.create({ file: buildPdf(), purpose: 'user_data' })
    const { id: image } = await openai.files.create({ file: buildImage(), purpose: 'vision' })
    const chat = (part: OpenAI.ChatCompletionContentPart) =>
      openai.chat.completions.create({
        model,
        max_tokens: 20,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Read.' }, part] }],
      })
    await chat({ type: 'file', file: { file_data: pdfUrl, filename: 'report.pdf' } })
    await chat({ type: 'file', file: { file_id: document } })
    const respond = (part: OpenAI.Responses.ResponseInputContent) =>
      openai.responses.create({
        model,
        max_output_tokens: 20,
        input: [{ role: 'user', content: [{ type: 'input_text', text: 'Look.' }, part] }],
      })
    const imageUrl = `data:image/png;base64,${Buffer.from(await buildImage().arrayBuffer()).toString('base64')}`
    await respond({ type: 'input_image', image_url: imageUrl, detail: 'auto' })
    await respond({ type: 'input_image', file_id: image, detail: 'auto' })
    await respond({ type: 'input_file', file_id: document })
    const [chatInline, chatFile, imageInline, imageFile, responseFile] = await costsOf(name)
    expect(chatFile).toBe(Number(chatInline))
    expect(imageFile).toBe(Number(imageInline))
    expect(responseFile).toBe(Number(chatFile))
  })

  test('streams an answer about a text file', async () => {
    const { openai } = await openTeam()
    const file = new File(['The word is umbrella.'], 'notes.md')
    const { id } = await openai.files.create({ file, purpose: 'user_data' })
    const stream = await openai.chat.completions.create({
      model,
      stream: true,
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: id } }] }],
    })
    let text = ''
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    expect(text).toContain('umbrella')
  })

  test('another team’s file is a 404, and refusals say what is allowed', async () => {
    const owner = await openTeam()
    const { openai } = await openTeam()
    const { id } = await owner.openai.files.create({ file: buildPdf(), purpose: 'user_data' })
    for (const call of [
      () => openai.files.retrieve(id),
      () => openai.files.content(id),
      () => openai.files.delete(id),
      () => openai.files.list({ after: id }),
      () =>
        openai.responses.create({
          model,
          input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }],
        }),
    ])
      expect((await failureOf(call())).status).toBe(404)
    expect(await failureOf(openai.files.create({ file: buildPdf(), purpose: 'batch' }))).toEqual({
      status: 400,
      message:
        '400 purpose "batch" is not supported. Send user_data or vision: files are kept as input for models, not for batches, assistants or fine-tuning.',
    })
    const large = new File([new Uint8Array(1024 * 1024 + 1)], 'large.bin')
    expect(await failureOf(openai.files.create({ file: large, purpose: 'user_data' }))).toEqual({
      status: 403,
      message:
        '403 Your team may keep at most 1048576 bytes of files. Delete files that are no longer needed.',
    })
    const unknown = await openai.files.create({ file: new File(['\u0001'], 'a.bin'), purpose: 'user_data' })
    const content = [{ type: 'file' as const, file: { file_id: unknown.id } }]
    expect(
      await failureOf(openai.chat.completions.create({ model, messages: [{ role: 'user', content }] })),
    ).toEqual({
      status: 400,
      message: `400 The file ${unknown.id} has the type application/octet-stream. This model accepts PDF, PNG, JPEG, WebP, HEIC, HEIF, WAV, MP3, video and text.`,
    })
    expect(await owner.openai.files.retrieve(id)).toMatchObject({ id })
  })
})

describe("Anthropic's client", () => {
  test('uploads, lists, describes, downloads and deletes', async () => {
    const { anthropic } = await openTeam()
    const file = await anthropic.beta.files.upload({ file: buildPdf() })
    expect(file).toMatchObject({
      type: 'file',
      filename: 'report.pdf',
      mime_type: 'application/pdf',
      size_bytes: pdf.byteLength,
      downloadable: true,
    })
    const other = await anthropic.beta.files.upload({ file: buildImage() })
    const all: string[] = []
    for await (const { id } of anthropic.beta.files.list({ limit: 1 })) all.push(id)
    expect(all.toSorted()).toEqual([file.id, other.id].toSorted())
    expect(await anthropic.beta.files.retrieveMetadata(file.id)).toEqual(file)
    const content = await anthropic.beta.files.download(file.id)
    expect(Buffer.from(await content.arrayBuffer())).toEqual(pdf)
    expect(await anthropic.beta.files.delete(file.id)).toEqual({ id: file.id, type: 'file_deleted' })
    expect(await failureOf(anthropic.beta.files.retrieveMetadata(file.id))).toMatchObject({
      status: 404,
      message: expect.stringContaining('"type":"not_found_error"'),
    })
  })

  test('uses a PDF and an image, at the price of the same data inline, and counts their tokens', async () => {
    const { name, anthropic } = await openTeam()
    const { id: document } = await anthropic.beta.files.upload({ file: buildPdf() })
    const { id: image } = await anthropic.beta.files.upload({ file: buildImage() })
    const ask = (content: Anthropic.Beta.BetaContentBlockParam[]) => ({
      model,
      max_tokens: 20,
      messages: [{ role: 'user' as const, content }],
    })
    const media = { type: 'base64', media_type: 'application/pdf', data: pdf.toString('base64') } as const
    const png = Buffer.from(await buildImage().arrayBuffer()).toString('base64')
    const inline = ask([
      { type: 'document', source: media },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
    ])
    const stored = ask([
      { type: 'document', source: { type: 'file', file_id: document } },
      { type: 'image', source: { type: 'file', file_id: image } },
    ])
    await anthropic.beta.messages.create(inline)
    await anthropic.beta.messages.create(stored)
    const [inlineCost, storedCost] = await costsOf(name)
    expect(storedCost).toBe(Number(inlineCost))
    const { max_tokens: _, ...counted } = stored
    const { max_tokens: __, ...countedInline } = inline
    expect(await anthropic.beta.messages.countTokens(counted)).toEqual(
      await anthropic.beta.messages.countTokens(countedInline),
    )
  })
})

describe("the vendor's client", () => {
  test.each(['/vendor', ''])('uploads, lists, describes and deletes at %p', async root => {
    const { google, openai } = await openTeam()
    const client = google(`${fairgate.gatewayUrl}${root}`)
    const file = await client.files.upload({
      file: new Blob([pdf], { type: 'application/pdf' }),
      config: { displayName: 'report.pdf' },
    })
    expect(file).toMatchObject({
      displayName: 'report.pdf',
      mimeType: 'application/pdf',
      sizeBytes: String(pdf.byteLength),
      state: 'ACTIVE',
      source: 'UPLOADED',
    })
    const { name = '' } = file
    expect(file.uri).toBe(`${fairgate.gatewayUrl}/vendor/v1beta/${name}`)
    const other = await openai.files.create({ file: buildImage(), purpose: 'vision' })
    const all: (string | undefined)[] = []
    for await (const each of await client.files.list({ config: { pageSize: 1 } })) all.push(each.name)
    expect(all.toSorted()).toEqual([name, `files/${other.id.replace('file-', '')}`].toSorted())
    expect(await client.files.get({ name })).toMatchObject({ name, sha256Hash: file.sha256Hash ?? '' })
    expect((await openai.files.retrieve(name.replace('files/', 'file-'))).filename).toBe('report.pdf')
    await client.files.delete({ name })
    expect((await failureOf(openai.files.retrieve(name.replace('files/', 'file-')))).status).toBe(404)
  })

  test('uses a PDF and an image, whole and streamed, at the price of the same data inline', async () => {
    const { name, google } = await openTeam()
    const client = google()
    const image = new Blob([await buildImage().arrayBuffer()], { type: 'image/png' })
    const document = await client.files.upload({ file: new Blob([pdf], { type: 'application/pdf' }) })
    const drawing = await client.files.upload({ file: image })
    const stored = [document, drawing].map(({ uri = '', mimeType = '' }) => ({
      fileData: { fileUri: uri, mimeType },
    }))
    const inline = [
      { inlineData: { mimeType: 'application/pdf', data: pdf.toString('base64') } },
      {
        inlineData: {
          mimeType: 'image/png',
          data: Buffer.from(await image.arrayBuffer()).toString('base64'),
        },
      },
    ]
    const ask = (parts: object[]) => ({
      model,
      contents: [{ role: 'user', parts: [{ text: 'Read.' }, ...parts] }],
    })
    await client.models.generateContent(ask(inline))
    await client.models.generateContent(ask(stored))
    for await (const _ of await client.models.generateContentStream(ask(stored)));
    const [first, second, streamed] = await costsOf(name)
    expect(second).toBe(Number(first))
    expect(streamed).toBe(Number(first))
    expect((await client.models.countTokens(ask(stored))).totalTokens).toBe(
      (await client.models.countTokens(ask(inline))).totalTokens,
    )
  })

  test('the pieces need no key, can be sent again, and must be as announced', async () => {
    const { key } = await openTeam()
    const content = Buffer.alloc(256 * 1024 + 10, 'text ')
    const begin = (headers: Record<string, string> = {}, body = '{"file": {"display_name": "long.txt"}}') =>
      fetch(`${fairgate.gatewayUrl}/vendor/upload/v1beta/files`, {
        method: 'POST',
        headers: {
          'x-goog-api-key': key,
          'x-goog-upload-protocol': 'resumable',
          'x-goog-upload-command': 'start',
          'x-goog-upload-header-content-length': String(content.byteLength),
          'x-goog-upload-header-content-type': 'text/plain',
          ...headers,
        },
        body,
      })
    const address = (await begin()).headers.get('x-goog-upload-url') ?? ''
    const send = (command: string, offset: number, piece: Buffer, to = address) =>
      fetch(to, {
        method: 'POST',
        headers: { 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) },
        body: new Uint8Array(piece),
      })
    const states = async (response: Response) => [
      response.status,
      response.headers.get('x-goog-upload-status'),
      response.headers.get('x-goog-upload-size-received'),
    ]
    const half = 256 * 1024
    expect(await states(await send('upload', 0, content.subarray(0, half)))).toEqual([
      200,
      'active',
      '262144',
    ])
    expect(await states(await send('upload', 0, content.subarray(0, half)))).toEqual([
      200,
      'active',
      '262144',
    ])
    expect(await states(await send('query', 0, Buffer.alloc(0)))).toEqual([200, 'active', '262144'])
    const messageOf = async (response: Response) => {
      const { error } = (await response.json()) as { error: { code: number; message: string } }
      return [error.code, error.message]
    }
    expect(await messageOf(await send('upload', 5, content.subarray(0, half)))).toEqual([
      400,
      'x-goog-upload-offset is 5, but 262144 bytes were received. Continue there.',
    ])
    expect(await messageOf(await send('finalize', half, Buffer.alloc(0)))).toEqual([
      400,
      'The upload has 262144 bytes, but 262154 were announced.',
    ])
    const last = await send('upload, finalize', half, content.subarray(half))
    expect(await states(last.clone() as Response)).toEqual([200, 'final', '262154'])
    const { file } = (await last.json()) as { file: { name: string; displayName: string } }
    expect(file.displayName).toBe('long.txt')
    // The reply was lost, and the last request is sent again; with its bytes or, as they were received, without.
    for (const again of [
      await send('upload, finalize', half, content.subarray(half)),
      await send('finalize', content.byteLength, Buffer.alloc(0)),
      await send('query', 0, Buffer.alloc(0)),
    ]) {
      expect(await states(again.clone() as Response)).toEqual([200, 'final', '262154'])
      expect(await again.json()).toEqual({ file })
    }
    const whole = await fetch(
      `${fairgate.gatewayUrl}/v1/files/${file.name.replace('files/', 'file-')}/content`,
      { headers: { authorization: `Bearer ${key}` } },
    )
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true)
    const over =
      'This upload is over: all 262154 bytes were received. Only its last request can be sent again. Start a new upload.'
    for (const [command, offset] of [
      ['upload', half],
      ['upload, finalize', 0],
      ['cancel', 0],
    ] as const)
      expect(await messageOf(await send(command, offset, content.subarray(half)))).toEqual([400, over])
    await fetch(`${fairgate.gatewayUrl}/v1/files/${file.name.replace('files/', 'file-')}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    })
    expect((await send('finalize', content.byteLength, Buffer.alloc(0))).status).toBe(401)
    expect((await send('upload', 0, content, `${address.slice(0, -40)}0`)).status).toBeGreaterThanOrEqual(400)
    expect(
      await messageOf(await begin({ 'x-goog-upload-header-content-length': String(16 * 1024 * 1024) })),
    ).toEqual([413, 'The file has 16777216 bytes. A file may have at most 15728640 bytes.'])
    expect(await messageOf(await begin({ 'x-goog-upload-protocol': 'multipart' }))).toEqual([
      400,
      'Uploads must be resumable: send x-goog-upload-protocol: resumable and x-goog-upload-command: start.',
    ])
    expect((await messageOf(await begin({}, '{"file": {"name": "files/mine"}}')))[1]).toContain(
      'leave file.name out',
    )
  })

  test('what generateContent refuses is refused within a request to be counted, with the same words', async () => {
    const { key } = await openTeam()
    const ask = async (verb: string, body: object) => {
      const response = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/models/${model}:${verb}`, {
        method: 'POST',
        headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const { error } = (await response.json()) as { error: { code: number; message: string } }
      return [error.code, error.message]
    }
    const contents = [{ parts: [{ text: 'Read https://example.org.' }] }]
    const tools = [{ urlContext: {} }]
    const sentence = 'Fetch the page in your client and put its text into contents.'
    expect(await ask('generateContent', { contents, tools })).toEqual([
      400,
      `tools[0].urlContext is not offered. ${sentence}`,
    ])
    expect(await ask('countTokens', { generateContentRequest: { contents, tools } })).toEqual([
      400,
      `generateContentRequest.tools[0].urlContext is not offered. ${sentence}`,
    ])
  })

  test('another team’s file is a 404, and other addresses are refused as before', async () => {
    const owner = await openTeam()
    const { google, key } = await openTeam()
    const client = google()
    const { uri = '', name = '' } = await owner
      .google()
      .files.upload({ file: new Blob([pdf], { type: 'application/pdf' }) })
    const ask = async (fileUri: string) => {
      const response = await fetch(`${fairgate.gatewayUrl}/vendor/v1beta/models/${model}:generateContent`, {
        method: 'POST',
        headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ contents: [{ parts: [{ file_data: { file_uri: fileUri } }] }] }),
      })
      const { error } = (await response.json()) as { error: { code: number; message: string } }
      return [error.code, error.message]
    }
    expect(await ask(uri)).toEqual([
      404,
      `Your team has no file "${name.replace('files/', 'file-')}". It may have expired or been deleted.`,
    ])
    expect(await ask('https://www.youtube.com/watch?v=1')).toEqual([
      400,
      'File URLs are not supported. Send files in the body as inlineData.',
    ])
    const status = async (call: Promise<unknown>) => {
      const error = await call.then(
        () => null,
        failure => failure as { status: number },
      )
      return error?.status
    }
    expect(await status(client.files.get({ name }))).toBe(404)
    expect(await status(client.files.delete({ name }))).toBe(404)
    expect((await client.files.list()).page).toEqual([])
  })
})
