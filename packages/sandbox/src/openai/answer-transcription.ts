// audio/transcriptions of an OpenAI-compatible upstream: words chosen by the file's hash, in several formats.
import { countTokens } from '../count-tokens.ts'
import { invalid } from '../json.ts'
import { transcribe } from '../kinds/transcribe.ts'
import { measureMedium } from '../request/read-medium.ts'
import type { OpenaiCall } from './openai-call.ts'

export type Form = Awaited<ReturnType<Request['formData']>>

/** Throws VendorError 400 without a file and for other formats. */
export async function answerTranscription(call: OpenaiCall, form: Form): Promise<Response> {
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
