// images/generations and images/edits of an OpenAI-compatible upstream: PNG files of the requested size.
import { countTokens } from '../count-tokens.ts'
import { invalid } from '../json.ts'
import { pickColour } from '../media/hash.ts'
import { writePng } from '../media/png.ts'
import { VendorError } from '../vendor-error.ts'
import type { OpenaiCall } from './openai-call.ts'

const tokensPerImage = 1_056
/** How many input tokens one sent image counts as. */
const tokensPerSentImage = 323
const created = 1_700_000_000

/** Throws VendorError 400 without an image, and for what `answerImages` refuses. */
export function answerImageEdit(call: OpenaiCall, files: readonly unknown[]): Response {
  if (files.length === 0 || !files.every(file => file instanceof Blob && file.size > 0)) {
    throw invalid("'image' is required.")
  }
  return answerImages(call, files.length)
}

/** Throws VendorError 400 without a prompt, for a bad size or count, and for a prompt that is told to be refused. */
export function answerImages({ body, model, switches, tools }: OpenaiCall, sent = 0): Response {
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
