// Speech or music as the events of `stream_format: "sse"`: the sound in pieces, then what it took.
import type { UsageReport } from '../../../upstream/port.ts'

/** Of the sound, before Base64: small enough to be sent while the next one is written. */
const bytesPerEvent = 48 * 1024

/** Music and speech billed by the character have no tokens: their usage is 0. */
export function* buildSpeechEvents(sound: Uint8Array, usage: UsageReport) {
  for (let start = 0; start < sound.byteLength; start += bytesPerEvent) {
    const piece = sound.subarray(start, start + bytesPerEvent)
    const audio = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64')
    yield { type: 'speech.audio.delta', audio }
  }
  const { inputTokens, outputTokens } =
    usage.kind === 'reported' ? usage.usage : { inputTokens: 0, outputTokens: 0 }
  yield {
    type: 'speech.audio.done',
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  }
}
