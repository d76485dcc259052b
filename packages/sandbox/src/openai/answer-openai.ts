// Plays a generic OpenAI-compatible upstream in addition to the vendor: the key check and the addresses under /openai/v1/.
import { countTokens } from '../count-tokens.ts'
import { invalid, isObject, type Json } from '../json.ts'
import type { SandboxKeys } from '../keys.ts'
import { embed } from '../kinds/embed.ts'
import { transcribe } from '../kinds/transcribe.ts'
import { readHeader } from '../make-trouble.ts'
import { pickColour } from '../media/hash.ts'
import { writeMp3 } from '../media/mp3.ts'
import { writePng } from '../media/png.ts'
import { speechRate, writeSine } from '../media/sine.ts'
import { writeWav } from '../media/wav.ts'
import { measureMedium } from '../request/read-medium.ts'
import { findSwitches } from '../switches.ts'
import type { Tools } from '../tools.ts'
import { VendorError } from '../vendor-error.ts'
import { createChat } from './answer-chat.ts'
import type { OpenaiCall } from './openai-call.ts'
import { lastPrompt } from './read-prompt.ts'

export type OpenaiFacts = { readonly tools: Tools; readonly keys: SandboxKeys }

/** The listed models. Other ids work too, except those that begin with `unknown`. */
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

function checkKey(request: Request, keys: SandboxKeys): void {
  const given = /^Bearer (.+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (given === undefined) throw new VendorError(401, "You didn't provide an API key.")
  try {
    keys.check(given)
  } catch (error) {
    // Such servers answer 401 for every key that they do not accept.
    const isQuota = error instanceof VendorError && error.code === 429
    throw isQuota ? error : new VendorError(401, 'Incorrect API key provided.')
  }
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

// audio/speech of an OpenAI-compatible upstream: audio as long as the text, as MP3, WAV or raw PCM.

const charactersPerSecond = 15
const longest = 60
const period = 100

/** Throws VendorError 400 without a text or a voice, and for other formats. */
function answerSpeech({ body, model, switches, tools }: OpenaiCall): Response {
  const { input, voice, response_format: format = 'mp3' } = body
  if (typeof input !== 'string' || input === '') throw invalid("'input' is required.")
  if (typeof voice !== 'string' || voice === '') throw invalid("'voice' is required.")
  const spoken = Math.min(longest, Math.max(0.2, Array.from(input).length / charactersPerSecond))
  const seconds = switches.mediaSeconds ?? spoken
  const bill = () => {
    const usage = { prompt: countTokens(input), cached: 0, candidates: 0, thoughts: 0 }
    tools.counters.bill(model, usage)
  }
  const send = (bytes: Uint8Array, type: string) => {
    bill()
    return new Response(Uint8Array.from(bytes), { headers: { 'content-type': type } })
  }
  if (format === 'mp3') return send(writeMp3(seconds), 'audio/mpeg')
  const pcm = writeSine(seconds, period)
  if (format === 'wav') return send(writeWav(pcm, { rate: speechRate, channels: 1 }), 'audio/wav')
  if (format === 'pcm') return send(pcm, 'audio/pcm')
  throw invalid(`The sandbox supports mp3, wav and pcm, not ${JSON.stringify(format)}.`)
}

// audio/transcriptions of an OpenAI-compatible upstream: words chosen by the file's hash, in multiple formats.

type Form = Awaited<ReturnType<Request['formData']>>

/** Throws VendorError 400 without a file and for other formats. */
async function answerTranscription(call: OpenaiCall, form: Form): Promise<Response> {
  const file = form.get('file')
  if (!(file instanceof Blob) || file.size === 0) throw invalid("'file' is required.")
  const bytes = new Uint8Array(await file.arrayBuffer())
  const { seconds, tokens } = measureMedium('audio/wav', bytes)
  const words = transcribe(bytes, seconds)
  const text = words.map(({ word }) => word).join(' ')
  const output = countTokens(text)
  const usage = { prompt: tokens, cached: 0, candidates: output, thoughts: 0 }
  const format = form.get('response_format') ?? 'json'
  if (format !== 'json' && format !== 'text' && format !== 'verbose_json') {
    throw invalid(`response_format ${JSON.stringify(format)} is not supported by the sandbox.`)
  }
  call.tools.counters.bill(call.model, usage, { inputAudioTokens: tokens })
  if (format === 'text') return new Response(`${text}\n`, { headers: { 'content-type': 'text/plain' } })
  if (format === 'json') {
    return Response.json({
      text,
      usage: {
        type: 'tokens',
        input_tokens: tokens,
        output_tokens: output,
        total_tokens: tokens + output,
        input_token_details: { audio_tokens: tokens, text_tokens: 0 },
      },
    })
  }
  const end = words.at(-1)?.end ?? 0
  return Response.json({
    task: 'transcribe',
    language: 'english',
    duration: seconds,
    text,
    segments: [{ id: 0, seek: 0, start: 0, end, text, tokens: [], temperature: 0, avg_logprob: -0.1 }],
    ...(form.getAll('timestamp_granularities[]').includes('word') ? { words } : {}),
    usage: { type: 'duration', seconds: Math.ceil(seconds) },
  })
}

// embeddings of an OpenAI-compatible upstream: vectors as numbers or as Base64 of 32-bit floats.

const usualDimensions = 1_536

/** Throws VendorError 400 without an input. */
function answerEmbeddings({ body, model, tools }: OpenaiCall): Response {
  const inputs = readInputs(body.input)
  const dimensions = body.dimensions ?? usualDimensions
  if (typeof dimensions !== 'number' || !Number.isSafeInteger(dimensions) || dimensions < 1) {
    throw invalid("'dimensions' must be a positive integer.")
  }
  const prompt = inputs.reduce((sum, input) => sum + input.tokens, 0)
  tools.counters.bill(model, { prompt, cached: 0, candidates: 0, thoughts: 0 })
  const data = inputs.map(({ text }, index) => {
    const vector = embed(text, Math.min(dimensions, 4_096))
    const embedding =
      body.encoding_format === 'base64'
        ? Buffer.from(Float32Array.from(vector).buffer).toString('base64')
        : vector
    return { object: 'embedding', index, embedding }
  })
  return Response.json({
    object: 'list',
    data,
    model,
    usage: { prompt_tokens: prompt, total_tokens: prompt },
  })
}

type Input = { readonly text: string; readonly tokens: number }

/** One or more texts, or one or more lists of token numbers. */
function readInputs(input: unknown): Input[] {
  const isNumbers = (value: unknown): value is number[] =>
    Array.isArray(value) && value.length > 0 && value.every(item => typeof item === 'number')
  const values: unknown[] = Array.isArray(input) && !isNumbers(input) ? input : [input]
  if (values.length === 0 || isObject(input)) throw invalid("'input' is required.")
  return values.map(value => {
    if (isNumbers(value)) return { text: value.join(' '), tokens: value.length }
    if (typeof value === 'string' && value !== '') return { text: value, tokens: countTokens(value) }
    throw invalid("'input' must be a text, a list of texts, or a list of token numbers.")
  })
}

/** images/generations and images/edits of an OpenAI-compatible upstream: PNG files of the requested size. */
const tokensPerImage = 1_056
/** Input tokens per sent image. */
const tokensPerSentImage = 323
const created = 1_700_000_000

/** Throws VendorError 400 without an image, and in all cases in which `answerImages` does. */
function answerImageEdit(call: OpenaiCall, files: readonly unknown[]): Response {
  if (files.length === 0 || !files.every(file => file instanceof Blob && file.size > 0)) {
    throw invalid("'image' is required.")
  }
  return answerImages(call, files.length)
}

/** Throws VendorError 400 without a prompt, for a bad size or count, and for a prompt that the switches refuse. */
function answerImages({ body, model, switches, tools }: OpenaiCall, sent = 0): Response {
  const { prompt, n = 1, size = '1024x1024' } = body
  if (typeof prompt !== 'string' || prompt === '') throw invalid("'prompt' is required.")
  if (typeof n !== 'number' || !Number.isSafeInteger(n) || n < 1 || n > 10) {
    throw invalid("'n' must be from 1 to 10.")
  }
  if (switches.blockPrompt !== undefined) {
    throw new VendorError(400, 'Your request was rejected by the safety system.')
  }
  const wanted = /^(\d{2,4})x(\d{2,4})$/.exec(size === 'auto' ? '1024x1024' : String(size))
  if (wanted === null) throw invalid(`Invalid size: ${JSON.stringify(size)}`)
  const [width, height] = [Number(wanted[1]), Number(wanted[2])]
  const text = countTokens(prompt)
  const usage = {
    prompt: text + sent * tokensPerSentImage,
    cached: 0,
    candidates: n * tokensPerImage,
    thoughts: 0,
  }
  tools.counters.bill(model, usage, { images: n })
  const data = Array.from({ length: n }, (_, index) => {
    const colour = pickColour(`${index} ${prompt}`)
    const png = writePng({ width, height, colour, fillBytes: switches.imageBytes })
    return { b64_json: Buffer.from(png).toString('base64') }
  })
  return Response.json({
    created,
    data,
    usage: {
      input_tokens: usage.prompt,
      output_tokens: usage.candidates,
      total_tokens: usage.prompt + usage.candidates,
      input_tokens_details: { text_tokens: text, image_tokens: usage.prompt - text },
    },
  })
}
