// What a transcription can cost at most, from how long the recording can be.
import { costOf } from '../../../ledger/price.ts'
import type { TranscriptionCall } from '../../../upstream/media-port.ts'
import type { CallPlan } from '../../flow/admit.ts'

/** Tokens a second of audio is counted as, from above, and those of what can be said in it. */
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
