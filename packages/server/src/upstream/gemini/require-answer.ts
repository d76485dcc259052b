// Refuses replies of status 200 that hold nothing, or an error.
import { asArray, asRecord, isPresent } from '../narrow-json.ts'
import { emptyAnswer } from '../upstream-failure.ts'
import { mapUsage } from './chat/map-usage.ts'

/** Throws ApiError `upstream_error` for a reply with neither a candidate that says anything, nor a refusal, nor usage. */
export function requireAnswer(reply: unknown) {
  const record = asRecord(reply)
  if (record === null || isPresent(record.error)) throw emptyAnswer()
  const usage = mapUsage(record)
  const isAnswer =
    usage.kind !== 'absent' ||
    asRecord(record.promptFeedback) !== null ||
    asArray(record.candidates).some(isCandidate)
  if (isAnswer) return { record, usage }
  throw emptyAnswer()
}

function isCandidate(item: unknown): boolean {
  const candidate = asRecord(item)
  return candidate !== null && (candidate.content !== undefined || candidate.finishReason !== undefined)
}
