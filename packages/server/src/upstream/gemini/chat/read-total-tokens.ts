// The figure in the vendor's countTokens reply.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { asRecord } from '../../narrow-json.ts'
import type { UsageReport } from '../../port.ts'

/** Throws ApiError `upstream_error` when it is not a count. */
export function readTotalTokens(reply: unknown): number {
  const report = reportTotalTokens(reply)
  if (report.kind === 'reported') return report.usage.inputTokens
  throw new ApiError('upstream_error')
}

/** The count as usage, for a call whose reply has none. */
export function reportTotalTokens(reply: unknown): UsageReport {
  const total = asRecord(reply)?.totalTokens
  if (total === undefined || total === null) return { kind: 'absent' }
  if (typeof total !== 'number' || !Number.isSafeInteger(total) || total < 0)
    return { kind: 'invalid', said: { totalTokens: total } }
  const usage = { inputTokens: total, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 }
  return { kind: 'reported', usage }
}
