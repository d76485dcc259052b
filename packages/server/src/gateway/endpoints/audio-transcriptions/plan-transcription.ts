// Identifies a sent recording and its maximum length without decoding it, and so the maximum cost of its transcription.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import { costOf } from '../../../ledger/price.ts'
import { boundSeconds } from '../../../media/recording-length/read-seconds.ts'
import type { TranscriptionCall } from '../../../upstream/media-port.ts'
import type { CallPlan } from '../../flow/admit.ts'

const mimeTypes: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  mpga: 'audio/mp3',
  mpeg: 'audio/mp3',
  m4a: 'audio/mp4',
  mp4: 'audio/mp4',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  webm: 'audio/webm',
  aac: 'audio/aac',
}

/** The first bytes of each format, at their offset. */
const signatures: readonly (readonly [offset: number, text: string, mimeType: string])[] = [
  [0, 'RIFF', 'audio/wav'],
  [0, 'ID3', 'audio/mp3'],
  [0, 'OggS', 'audio/ogg'],
  [0, 'fLaC', 'audio/flac'],
  [4, 'ftyp', 'audio/mp4'],
  [0, '\u001aE\u00df\u00a3', 'audio/webm'],
]

export type Recording = {
  readonly audio: Uint8Array
  readonly mimeType: string
  readonly longestSeconds: number
}

/** Throws ApiError `invalid_request` for a missing or empty file, and for one of an unknown format. */
export async function readRecording(file: Blob | string): Promise<Recording> {
  if (!(file instanceof Blob)) throw invalidRequest('file', 'file must be a single uploaded file.')
  if (file.size === 0) throw invalidRequest('file', 'The file is empty.')
  const audio = await file.bytes()
  const mimeType = findType(file, audio)
  if (mimeType === null)
    throw invalidRequest('file', `Unknown audio format. Send one of ${Object.keys(mimeTypes).join(', ')}.`)
  return { audio, mimeType, longestSeconds: Math.ceil(boundSeconds(audio, mimeType)) }
}

/** By the bytes, otherwise by the name, otherwise by the declared type. */
function findType(file: Blob, audio: Uint8Array): string | null {
  const head = Buffer.from(audio.subarray(0, 16)).toString('latin1')
  const found = signatures.find(([offset, text]) => head.startsWith(text, offset))
  if (found !== undefined) return found[2]
  const name = 'name' in file && typeof file.name === 'string' ? file.name : ''
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  if (Object.hasOwn(mimeTypes, extension)) return mimeTypes[extension] ?? null
  const declared =
    file.type.split(';', 1)[0]?.replace('audio/x-', 'audio/').replace('audio/mpeg', 'audio/mp3') ?? ''
  return Object.values(mimeTypes).includes(declared) ? declared : null
}

/** Upper bound of tokens per second of audio, and of the text that can be said in it. */
const inputTokensPerSecond = 33
const outputTokensPerSecond = 10
const fewestOutputTokens = 64

export function planTranscription({ model, prompt }: TranscriptionCall, longestSeconds: number): CallPlan {
  const inputText = prompt === null ? 0 : Buffer.byteLength(prompt)
  const inputAudio = Math.min(longestSeconds * inputTokensPerSecond, model.contextLimit)
  const outputText = Math.min(longestSeconds * outputTokensPerSecond + fewestOutputTokens, model.maxOutput)
  return {
    model,
    endpoint: 'transcription',
    medium: 'audio',
    tokens: { input: inputAudio, output: Math.min(outputText, model.typicalOutput) },
    estimate: {
      kind: 'fixed',
      cost: costOf(model.price, { inputText, inputAudio, outputText }, inputText + inputAudio),
    },
  }
}
