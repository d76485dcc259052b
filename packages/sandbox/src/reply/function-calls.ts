// Function calls of an answer, and the check of those that a caller gives back with the conversation.
import { createHash } from 'node:crypto'
import { countTokens } from '../count-tokens.ts'
import { invalid } from '../json.ts'
import type { Turn } from '../read-request.ts'
import type { DeclaredFunction } from '../request/read-tools.ts'
import type { ReplyStep } from './answer.ts'
import { sampleValue } from './sample-value.ts'

const signaturePrefix = 'sandbox-thought:'
/** The signature that the vendor documents for conversations from another model. */
const bypass = 'skip_thought_signature_validator'

/** One call after the other, through the declared functions. If the model signs, the first call is signed. */
export function writeCalls(
  functions: readonly DeclaredFunction[],
  count: number,
  isSigned: boolean,
): ReplyStep {
  const calls = Array.from({ length: count }, (_, index) => {
    const declared = functions[index % functions.length]
    const name = declared?.name ?? ''
    const call = { name, args: sampleValue(declared?.schema) }
    return isSigned ? { ...call, id: writeId(name, index) } : call
  })
  const parts = calls.map((functionCall, index) =>
    isSigned && index === 0 ? { functionCall, thoughtSignature: sign(functionCall.name) } : { functionCall },
  )
  const candidates = calls.reduce(
    (sum, { name, args }) => sum + countTokens(JSON.stringify({ name, args })),
    0,
  )
  return { parts, candidates }
}

/** Throws VendorError 400 when results do not fit their calls, or when a call comes back unsigned. */
export function checkReplay(turns: readonly Turn[], isSigned: boolean): void {
  for (const [index, { calls, results }] of turns.entries()) {
    if (results.length > 0 && turns[index - 1]?.calls.length !== results.length) {
      throw invalid(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    }
    const [first] = calls
    if (!isSigned || first === undefined) continue
    if (first.signature === null || first.signature === '') {
      throw invalid(
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Function call \`default_api:${first.name}\`, position ${index + 1}.`,
      )
    }
    if (!isKnown(first.signature, first.name)) throw invalid('Corrupted thought signature.')
  }
}

function sign(name: string): string {
  return Buffer.from(`${signaturePrefix}${name}`).toString('base64')
}

function isKnown(signature: string, name: string): boolean {
  if (signature === bypass) return true
  const text = Buffer.from(signature, 'base64').toString()
  return text === bypass || text === `${signaturePrefix}${name}`
}

function writeId(name: string, index: number): string {
  return createHash('sha256').update(`${name} ${index}`).digest('hex').slice(0, 8)
}
