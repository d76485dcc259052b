// Signs thinking blocks, and checks that they come back unchanged.
import type { Json } from '../json.ts'
import { hash } from '../media/hash.ts'
import { refuseMember } from './anthropic-error.ts'

const redacted = 'sandbox-redacted-thinking'

export function signThinking(thinking: string): string {
  return hash(`sandbox-thinking:${thinking}`).toString('base64')
}

/** A block with thoughts that nobody can read. */
export function redactThinking(): { type: 'redacted_thinking'; data: string } {
  return { type: 'redacted_thinking', data: Buffer.from(redacted).toString('base64') }
}

/** `block`: of the type `thinking` or `redacted_thinking`. Throws VendorError 400 for a block that the sandbox did not make. */
export function checkThinking(block: Json, place: string): void {
  if (block.type === 'redacted_thinking') {
    if (block.data !== redactThinking().data)
      throw refuseMember(place, 'Invalid `data` in `redacted_thinking` block')
    return
  }
  if (typeof block.thinking !== 'string') throw refuseMember(`${place}.thinking.thinking`, 'Field required')
  if (typeof block.signature !== 'string') throw refuseMember(`${place}.thinking.signature`, 'Field required')
  if (block.signature !== signThinking(block.thinking))
    throw refuseMember(place, 'Invalid `signature` in `thinking` block')
}
