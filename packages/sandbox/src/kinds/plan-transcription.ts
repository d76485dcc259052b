// Plans a transcription model's answer: words chosen by the audio's hash, as many as fit its length.
import { countTokens } from '../count-tokens.ts'
import {
  invalid,
  type Json,
  member,
  optionalObject,
  optionalText,
  refuseUnknown,
  requireList,
} from '../json.ts'
import { type Answer, plainAnswer } from '../reply/answer.ts'
import type { PlanFacts } from '../reply/plan-reply.ts'
import { type SpokenWord, transcribe } from './transcribe.ts'

const configNames = new Set(['languageCodes', 'customVocabulary', 'wordTimestamp', 'diarization', 'mode'])

type Wishes = { readonly withWords: boolean; readonly speakers: number; readonly languageCode: string }

/** Throws VendorError 400 without audio, with an instruction, and for options that exclude each other. */
export function planTranscription({ request }: PlanFacts): Answer {
  const audio = request.media.filter(({ modality }) => modality === 'AUDIO')
  if (audio.length === 0) throw invalid('Audio input is required for this model.')
  if (request.hasInstruction) throw invalid('System instruction is not supported for this model.')
  const wishes = readWishes(optionalObject(request.config, 'audioTranscriptionConfig'))
  const words = audio.flatMap(({ bytes, seconds }) => transcribe(bytes, seconds))
  const half = Math.ceil(words.length / wishes.speakers)
  const turns = Array.from({ length: wishes.speakers }, (_, index) =>
    words.slice(index * half, (index + 1) * half),
  ).filter(turn => turn.length > 0)
  const parts = turns.map((turn, index) => ({ audioTranscription: describeTurn(turn, index, wishes) }))
  const candidates = countTokens(words.map(({ word }) => word).join(' '))
  return {
    ...plainAnswer,
    steps: [{ parts, candidates }],
    candidatesDetails: [{ modality: 'TEXT', tokenCount: candidates }],
  }
}

function describeTurn(turn: readonly SpokenWord[], index: number, wishes: Wishes): object {
  return {
    text: turn.map(({ word }) => word).join(' '),
    ...(wishes.speakers === 1 ? {} : { speakerLabel: `speaker_${index + 1}` }),
    languageCode: wishes.languageCode,
    ...(wishes.withWords
      ? {
          words: turn.map(({ word, start, end }) => ({
            word,
            startOffset: `${start.toFixed(3)}s`,
            endOffset: `${end.toFixed(3)}s`,
          })),
        }
      : {}),
  }
}

function readWishes(config: Json): Wishes {
  refuseUnknown(config, configNames, " at 'generation_config.audio_transcription_config'")
  const withWords = member(config, 'wordTimestamp') === true
  const diarization = member(config, 'diarization')
  const hasSpeakers = diarization !== undefined && diarization !== false
  const mode = (optionalText(config, 'mode') ?? 'VERBATIM').toUpperCase()
  if (mode !== 'VERBATIM' && mode !== 'SMART') throw invalid(`Invalid value at 'mode', ${mode}`)
  const languages = requireList(member(config, 'languageCodes') ?? [], "'language_codes'")
  const vocabulary = requireList(member(config, 'customVocabulary') ?? [], "'custom_vocabulary'")
  if ((vocabulary.length > 0 || mode === 'SMART') && (withWords || hasSpeakers)) {
    throw invalid('custom_vocabulary and SMART mode cannot be combined with word_timestamp or diarization.')
  }
  const [first] = languages
  return {
    withWords,
    speakers: hasSpeakers ? 2 : 1,
    languageCode: typeof first === 'string' ? first : 'en-US',
  }
}
