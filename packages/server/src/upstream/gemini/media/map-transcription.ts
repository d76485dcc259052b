// Transcription: our call → the body of the vendor's generateContent, and its reply → text and timed words.
import type { SpokenWord, TranscriptionCall, TranscriptionResult } from '../../media-port.ts'
import { asArray, asRecord, asString, eitherMember } from '../../narrow-json.ts'
import { requireAnswer } from '../require-answer.ts'

/** The model refuses a vocabulary together with times. */
export function buildTranscriptionBody(call: TranscriptionCall): object {
  const { audio, mimeType, language, vocabulary, needsTimes } = call
  const audioTranscriptionConfig = {
    ...(language === null ? {} : { languageCodes: [language] }),
    ...(needsTimes ? { wordTimestamp: true } : {}),
    ...(vocabulary.length === 0 || needsTimes ? {} : { customVocabulary: vocabulary }),
  }
  const data = Buffer.from(audio.buffer, audio.byteOffset, audio.byteLength).toString('base64')
  return {
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data } }] }],
    generationConfig: { audioTranscriptionConfig },
  }
}

/** One part per turn of a speaker, or plain text from some models. Throws ApiError `upstream_error` for an empty reply. */
export function mapTranscriptionReply(reply: unknown): TranscriptionResult {
  const { record, usage } = requireAnswer(reply)
  const [candidate] = asArray(record.candidates)
  const texts: string[] = []
  const words: SpokenWord[] = []
  const languages = new Set<string>()
  for (const item of asArray(asRecord(asRecord(candidate)?.content)?.parts)) {
    const part = asRecord(item) ?? {}
    const spoken = asRecord(eitherMember(part, 'audioTranscription', 'audio_transcription'))
    const text = asString(spoken?.text) ?? asString(part.text)
    if (text !== null && text !== '' && part.thought !== true) texts.push(text)
    const language = asString(eitherMember(spoken ?? {}, 'languageCode', 'language_code'))
    if (language) languages.add(language)
    words.push(...asArray(spoken?.words).flatMap(readWord))
  }
  const [language = null, another] = languages
  // Null when the turns are in several languages.
  return { text: texts.join(' '), language: another === undefined ? language : null, words, usage }
}

function readWord(item: unknown): SpokenWord[] {
  const word = asRecord(item) ?? {}
  const text = asString(word.word)
  const start = readSeconds(eitherMember(word, 'startOffset', 'start_offset'))
  const end = readSeconds(eitherMember(word, 'endOffset', 'end_offset'))
  return text === null || start === null || end === null ? [] : [{ text, start, end }]
}

/** `1.2s`. A missing start is 0, because the vendor's JSON leaves defaults out. */
function readSeconds(value: unknown): number | null {
  if (value === undefined) return 0
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(asString(value) ?? '')?.[1] ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds : null
}
