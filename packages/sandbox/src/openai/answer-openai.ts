// A generic OpenAI-compatible upstream beside the vendor: the key check and the addresses under /openai/v1/.
import { invalid, isObject, type Json } from '../json.ts'
import { readHeader } from '../make-trouble.ts'
import { findSwitches } from '../switches.ts'
import type { Tools } from '../tools.ts'
import { VendorError } from '../vendor-error.ts'
import { createChat } from './answer-chat.ts'
import { answerEmbeddings } from './answer-embeddings.ts'
import { answerImageEdit, answerImages } from './answer-images.ts'
import { answerSpeech } from './answer-speech.ts'
import { answerTranscription, type Form } from './answer-transcription.ts'
import type { OpenaiCall } from './openai-call.ts'
import { lastPrompt } from './read-prompt.ts'

export type OpenaiFacts = { readonly tools: Tools; readonly keys: readonly string[] }

/** The listed models. Any other id is answered too, except ids that begin with `unknown`. */
const models = ['gpt-sandbox', 'gpt-sandbox-mini', 'embedding-sandbox', 'image-sandbox', 'speech-sandbox']

export function createOpenai({ tools, keys }: OpenaiFacts) {
  const chat = createChat()

  /** `promptOf` finds the text that may carry switches. */
  const prepare = async (body: Json, request: Request, prompt: string): Promise<OpenaiCall> => {
    const { model } = body
    if (typeof model !== 'string' || model === '') throw invalid('you must provide a model parameter')
    if (model.startsWith('unknown')) {
      throw new VendorError(404, `The model \`${model}\` does not exist or you do not have access to it.`)
    }
    const switches = { ...tools.commonSwitches(), ...findSwitches(prompt), ...readHeader(request) }
    await tools.trouble(switches, request.signal)
    return { body, model, switches, tools }
  }

  const run = (
    request: Request,
    answer: (call: OpenaiCall) => Response | Promise<Response>,
    promptName: string,
  ): Promise<Response> =>
    tools.countCall(false, request, async () => {
      const body = await readJson(request)
      const given = body[promptName]
      const prompt: unknown = Array.isArray(given) ? given[0] : given
      return answer(await prepare(body, request, typeof prompt === 'string' ? prompt : ''))
    })

  return async (request: Request, path: string): Promise<Response> => {
    checkKey(request, keys)
    if (request.method === 'GET' && path === 'models') {
      return Response.json({ object: 'list', data: models.map(describeModel) })
    }
    if (request.method === 'GET' && path.startsWith('models/')) {
      const id = decodeURIComponent(path.slice('models/'.length))
      if (!models.includes(id)) throw new VendorError(404, `The model \`${id}\` does not exist.`)
      return Response.json(describeModel(id))
    }
    if (request.method !== 'POST') throw new VendorError(404, `Invalid URL (${request.method} ${path})`)
    switch (path) {
      case 'chat/completions': {
        const body = await readJson(request)
        return tools.countCall(body.stream === true, request, async () =>
          chat(await prepare(body, request, lastPrompt(body))),
        )
      }
      case 'embeddings':
        return run(request, answerEmbeddings, 'input')
      case 'images/generations':
        return run(request, answerImages, 'prompt')
      case 'images/edits':
        return tools.countCall(false, request, async () => {
          const form = await readForm(request)
          const { model, prompt, size } = Object.fromEntries(form)
          const body: Json = { model, prompt, ...(size === undefined ? {} : { size }) }
          const call = await prepare(body, request, typeof prompt === 'string' ? prompt : '')
          return answerImageEdit(call, [...form.getAll('image'), ...form.getAll('image[]')])
        })
      case 'audio/speech':
        return run(request, answerSpeech, 'input')
      case 'audio/transcriptions':
        return tools.countCall(false, request, async () => {
          const form = await readForm(request)
          const prompt = form.get('prompt')
          const body = { model: form.get('model') }
          const call = await prepare(body, request, typeof prompt === 'string' ? prompt : '')
          return answerTranscription(call, form)
        })
      default:
        throw new VendorError(404, `Invalid URL (POST /v1/${path})`)
    }
  }
}

function checkKey(request: Request, keys: readonly string[]): void {
  const given = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (given === undefined) throw new VendorError(401, "You didn't provide an API key.")
  if (!keys.includes(given)) throw new VendorError(401, 'Incorrect API key provided.')
}

async function readJson(request: Request): Promise<Json> {
  const body: unknown = await request.json().catch(() => null)
  if (isObject(body)) return body
  throw invalid('We could not parse the JSON body of your request.')
}

async function readForm(request: Request): Promise<Form> {
  try {
    return await request.formData()
  } catch {
    throw invalid('Could not parse multipart form')
  }
}

function describeModel(id: string): object {
  return { id, object: 'model', created: 1_700_000_000, owned_by: 'sandbox' }
}
