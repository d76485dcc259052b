// Speech or music as the events of `stream_format: "sse"`: the audio in pieces, then what it took.
import type { UsageReport } from '../../../upstream/port.ts'

/** Of the audio, before Base64: small enough to be sent while the next one is written. */
const bytesPerEvent = 48 * 1024

/** Music and speech billed by the character have no tokens: their usage is 0. */
export function* buildSpeechEvents(audio: Uint8Array, usage: UsageReport) {
  for (let start = 0; start < audio.byteLength; start += bytesPerEvent) {
    const piece = audio.subarray(start, start + bytesPerEvent)
    const base64 = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64')
    yield { type: 'speech.audio.delta', audio: base64 }
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
