// Token usage as clients see it (spec 2.3), summed over the upstream calls of one request.
import type { ChatUsage } from '@fairgate/contracts/chat/response.ts'
import type { UsageReport } from '../../../upstream/port.ts'

export function buildUsage(reports: readonly UsageReport[]): ChatUsage {
  let input = 0
  let cached = 0
  let output = 0
  let reasoning = 0
  for (const report of reports) {
    if (report.kind !== 'reported') continue
    input += report.usage.inputTokens
    cached += report.usage.cachedTokens
    output += report.usage.outputTokens
    reasoning += report.usage.reasoningTokens
  }
  return {
    completion_tokens: output,
    prompt_tokens: input,
    total_tokens: input + output,
    completion_tokens_details: { reasoning_tokens: reasoning, text_tokens: Math.max(0, output - reasoning) },
    prompt_tokens_details: { cached_tokens: cached, text_tokens: Math.max(0, input - cached) },
  }
}
