// Speech: our call → the body of audio/speech; its reply → audio. No usage is reported, so we count what we sent.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { readWav, requirePossible } from '../../../media/pcm.ts'
import { countCharacters, type SpeechCall, type SpeechResult } from '../../media-port.ts'
import { emptyAnswer } from '../../upstream-failure.ts'

export function buildSpeechBody({ model, text, instructions, voice }: SpeechCall): object {
  return {
    model: model.upstreamId,
    input: text,
    voice,
    ...(instructions === null ? {} : { instructions }),
    // Raw samples, from which we make every other form.
    response_format: 'pcm',
  }
}

const usualRate = 24_000

/** Raw samples, or a WAV file from servers without raw ones. Throws ApiError `upstream_error` for an empty reply or another form. */
export function mapSpeechReply(call: SpeechCall, type: string, bytes: Buffer): SpeechResult {
  const usage = { kind: 'counted', units: { inputCharacter: countCharacters(call) } } as const
  const wav = readWav(bytes)
  if (wav === null ? isEmpty(bytes) : wav.samples.length === 0) throw emptyAnswer()
  if (wav !== null) return { audio: requirePossible(wav), usage }
  if (!/^(?:audio\/(?:pcm|l16|x-pcm|raw|wav|x-wav)|application\/octet-stream)\b/i.test(type) && type !== '') {
    throw new ApiError('upstream_error', {
      message: 'The model provider answered with audio in another form than was asked for.',
    })
  }
  const rate = Number(/\brate=([^;,\s]*)/i.exec(type)?.[1] ?? usualRate)
  return { audio: requirePossible({ samples: bytes, rate }), usage }
}

/** Errors are shorter, and so are samples that happen to be valid JSON. */
const longestError = 65_536

/** No bytes, or JSON (an error, null) that calls itself audio. */
function isEmpty(bytes: Buffer): boolean {
  if (bytes.length === 0) return true
  if (bytes.length > longestError) return false
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    return false
  }
}
