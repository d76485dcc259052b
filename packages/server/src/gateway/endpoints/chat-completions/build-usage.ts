// Token usage as clients see it (spec 2.3), summed over the upstream calls of one request, each kind as it is billed.
import type { ChatUsage } from '@fairgate/contracts/chat/response.ts'
import { type Unit, unitsOfTokens } from '../../../ledger/price.ts'
import type { UsageReport } from '../../../upstream/port.ts'

/** One for all: these objects are made for each call. */
const absent = {}

export function buildUsage(reports: readonly UsageReport[]): ChatUsage {
  let input = 0
  let output = 0
  const sums: Partial<Record<Unit, number>> = {}
  for (const report of reports) {
    if (report.kind !== 'reported') continue
    input += report.usage.inputTokens
    output += report.usage.outputTokens
    const units = unitsOfTokens(report.usage)
    for (const unit in units) sums[unit as Unit] = (sums[unit as Unit] ?? 0) + (units[unit as Unit] ?? 0)
  }
  const { inputText = 0, cachedInput = 0, inputAudio, inputImage, inputVideo } = sums
  const { outputText = 0, reasoning = 0, outputAudio, outputImage } = sums
  return {
    completion_tokens: output,
    prompt_tokens: input,
    total_tokens: input + output,
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      text_tokens: outputText,
      ...(outputAudio === undefined ? absent : { audio_tokens: outputAudio }),
      ...(outputImage === undefined ? absent : { image_tokens: outputImage }),
    },
    prompt_tokens_details: {
      cached_tokens: cachedInput,
      text_tokens: inputText,
      ...(inputAudio === undefined ? absent : { audio_tokens: inputAudio }),
      ...(inputImage === undefined ? absent : { image_tokens: inputImage }),
      ...(inputVideo === undefined ? absent : { video_tokens: inputVideo }),
    },
  }
}
