// Plans a speech model's answer: a quiet tone as long as reading the text takes, as raw PCM or WAV.
import {
  invalid,
  type Json,
  member,
  optionalObject,
  optionalText,
  requireList,
  requireObject,
} from '../json.ts'
import { speechRate, writeSine } from '../media/sine.ts'
import { writeWav } from '../media/wav.ts'
import { type Answer, inlineData, plainAnswer, type ReplyStep } from '../reply/answer.ts'
import type { PlanFacts } from '../reply/plan-reply.ts'

const charactersPerSecond = 15
const shortest = 0.2
const longest = 60
export const audioTokensPerSecond = 25
const rawType = 'audio/L16;codec=pcm;rate=24000'
const defaultVoice = 'Kore'
const maxSpeakers = 2

/** Throws VendorError 400 for other modalities, media in the prompt, unknown voices and speakers. */
export function planSpeech({ model, request, switches, isStream, isSdk }: PlanFacts): Answer {
  if (request.modalities === null || request.modalities.some(modality => modality !== 'AUDIO')) {
    throw invalid(
      `The requested combination of response modalities (${(request.modalities ?? ['TEXT']).join(', ')}) is not supported by the model. models/${model} accepts the following combination of response modalities:\n* AUDIO\n`,
    )
  }
  if (request.media.length > 0) throw invalid('This model only supports text input.')
  const text = request.texts
    .join(' ')
    .replaceAll(/\[\[sandbox:[^\]]*\]\]/g, '')
    .trim()
  if (text === '' && switches.mediaSeconds === undefined) {
    throw invalid('Model tried to generate text, but it should only be used for TTS.')
  }
  const period = readVoices(optionalObject(request.config, 'speechConfig'), text)
  const spoken = Math.min(longest, Math.max(shortest, Array.from(text).length / charactersPerSecond))
  const seconds = switches.mediaSeconds ?? spoken
  const pcm = writeSine(seconds, period)
  const tokens = Math.ceil(seconds * audioTokensPerSecond)
  const speak = isSdk ? speakToSdk : speakToAny
  const steps =
    switches.wavSpeech === true
      ? [speak('audio/wav', writeWav(pcm, { rate: speechRate, channels: 1 }), tokens)]
      : cutAudio(pcm, isStream ? (switches.chunks ?? 1) : 1, tokens, speak)
  return {
    ...plainAnswer,
    steps,
    candidatesDetails: [{ modality: 'AUDIO', tokenCount: tokens }],
    goods: { outputAudioTokens: tokens },
  }
}

type Speak = (mimeType: string, bytes: Uint8Array, candidates: number) => ReplyStep

/** Only the vendor's spelling, because its Python SDK refuses members that it does not know. */
const speakToSdk: Speak = (mimeType, bytes, candidates) => ({
  parts: [inlineData(mimeType, bytes)],
  candidates,
})

/** Both spellings of the type, because public documentation shows either. */
const speakToAny: Speak = (mimeType, bytes, candidates) => {
  const data = Buffer.from(bytes).toString('base64')
  return { parts: [{ inlineData: { mimeType, mime_type: mimeType, data } }], candidates }
}

/** Never splits a sample. The tokens of all pieces add up. */
function cutAudio(pcm: Uint8Array, wanted: number, tokens: number, speak: Speak): ReplyStep[] {
  const count = Math.max(1, Math.min(wanted, pcm.length / 2))
  const at = (index: number) => Math.floor((pcm.length / 2 / count) * index) * 2
  const counted = (index: number) => Math.floor((tokens * index) / count)
  return Array.from({ length: count }, (_, index) =>
    speak(rawType, pcm.subarray(at(index), at(index + 1)), counted(index + 1) - counted(index)),
  )
}

/** Uses the first speaker's wave for all speakers. */
function readVoices(config: Json, text: string): number {
  const single = member(config, 'voiceConfig')
  const many = member(config, 'multiSpeakerVoiceConfig')
  if (single !== undefined && many !== undefined) {
    throw invalid('voice_config and multi_speaker_voice_config are mutually exclusive.')
  }
  if (many === undefined) {
    return single === undefined ? findPeriod(defaultVoice) : readVoice(requireObject(single, 'voice_config'))
  }
  const place = "'speaker_voice_configs'"
  const speakers = requireList(
    member(requireObject(many, 'multi_speaker_voice_config'), 'speakerVoiceConfigs'),
    place,
  )
  if (speakers.length === 0 || speakers.length > maxSpeakers) {
    throw invalid(`The number of speaker_voice_configs must be from 1 to ${maxSpeakers}.`)
  }
  const periods = speakers.map(value => {
    const speaker = requireObject(value, place)
    const name = optionalText(speaker, 'speaker') ?? ''
    if (name === '' || !text.includes(name)) {
      throw invalid(`Speaker ${JSON.stringify(name)} does not occur in the text.`)
    }
    return readVoice(optionalObject(speaker, 'voiceConfig'))
  })
  return periods[0] ?? findPeriod(defaultVoice)
}

function readVoice(config: Json): number {
  const name = optionalText(optionalObject(config, 'prebuiltVoiceConfig'), 'voiceName')
  return findPeriod(name ?? optionalText(config, 'voice') ?? defaultVoice)
}

// The vendor's thirty voices. Here each one is a different tone.

const voices = [
  'Zephyr',
  'Puck',
  'Charon',
  'Kore',
  'Fenrir',
  'Leda',
  'Orus',
  'Aoede',
  'Callirrhoe',
  'Autonoe',
  'Enceladus',
  'Iapetus',
  'Umbriel',
  'Algieba',
  'Despina',
  'Erinome',
  'Algenib',
  'Rasalgethi',
  'Laomedeia',
  'Achernar',
  'Alnilam',
  'Schedar',
  'Gacrux',
  'Pulcherrima',
  'Achird',
  'Zubenelgenubi',
  'Vindemiatrix',
  'Sadachbia',
  'Sadaltager',
  'Sulafat',
]

const lowest = 60

/** The samples of one wave of this voice. Throws VendorError 400 for an unknown voice. */
function findPeriod(name: string): number {
  const index = voices.findIndex(voice => voice.toLowerCase() === name.toLowerCase())
  if (index >= 0) return lowest + 2 * index
  throw invalid(
    `Voice name ${name} is not supported. Allowed voice names are: ${voices.map(voice => voice.toLowerCase()).join(', ')}`,
  )
}
