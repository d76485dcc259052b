// suite: test on sqlite; full on postgres; 15 s
// Files that teams upload, by the official clients: upload, list, download, delete, and use as input, at the price of the same data inline.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
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
      message: `400 The file ${unknown.id} has the type application/octet-stream. Models accept PDF, PNG, JPEG, WebP, HEIC, HEIF, WAV, MP3 and text.`,
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
