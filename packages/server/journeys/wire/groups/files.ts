// Uploaded files in all three dialects: upload, list, description, bytes, use as input, deletion, refusals.
import type { Wire } from '../start-wire.ts'
import { pixelFile } from './samples.ts'

const model = 'mm-2.5-flash'
const anthropic = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'files-api-2025-04-14' }

export async function recordFiles(wire: Wire): Promise<void> {
  const key = await wire.team('files')
  const stranger = await wire.team('file-strangers')
  const upload = (name: string, form: Readonly<Record<string, string | File>>, headers = {}) =>
    wire.ask(name, 'POST /v1/files', { bearer: key, form, headers })
  const get = (name: string, path: string, headers = {}, bearer = key) =>
    wire.ask(name, `GET /v1/files${path}`, { bearer, headers })

  const notes = () => new File(['The word is umbrella.'], 'notes.md', { type: 'text/markdown' })
  const first = (await upload('a text', { purpose: 'user_data', file: notes() })).read('id')
  wire.passTime(1)
  const image = (await upload("an image in Anthropic's format", { file: pixelFile() }, anthropic)).read('id')
  wire.passTime(1)
  await upload('the purpose after the file', { file: notes(), purpose: 'vision' })
  await upload('no file', { purpose: 'user_data' })
  await upload('no purpose', { file: notes() })
  await upload('a purpose that is not for input', { purpose: 'fine-tune', file: notes() })
  await upload('text instead of a file', { purpose: 'user_data', file: 'notes' })
  await upload('an empty file', { purpose: 'user_data', file: new File([], 'empty.txt') })
  await get('the list', '')
  await get('a page', '?limit=1&order=asc')
  await get("a page in Anthropic's format", '?limit=1', anthropic)
  await get('one', `/${first}`)
  await get("one in Anthropic's format", `/${image}`, anthropic)
  await get('its bytes', `/${first}/content`)
  await get("another team's", `/${first}`, {}, stranger)
  await get("another team's in Anthropic's format", `/${first}`, anthropic, stranger)
  await wire.ask('input of a chat', 'POST /v1/chat/completions', {
    bearer: key,
    body: {
      model,
      max_tokens: 5,
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: first } }] }],
    },
  })
  await wire.ask('input of a response', 'POST /v1/responses', {
    bearer: key,
    body: {
      model,
      max_output_tokens: 5,
      input: [{ role: 'user', content: [{ type: 'input_image', file_id: image }] }],
    },
  })
  await wire.ask('an unknown file in a response', 'POST /v1/responses', {
    bearer: key,
    body: { model, input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-none' }] }] },
  })
  await wire.ask('input of a message', 'POST /v1/messages', {
    bearer: key,
    headers: anthropic,
    body: {
      model,
      max_tokens: 5,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: image } }] }],
    },
  })
  const vendor = { bearer: key }
  await wire.ask('the list in the vendor’s format', 'GET /v1beta/files?pageSize=1', vendor)
  await wire.ask('deletion', `DELETE /v1/files/${first}`, { bearer: key })
  await wire.ask("deletion in Anthropic's format", `DELETE /v1/files/${image}`, {
    bearer: key,
    headers: anthropic,
  })
}
