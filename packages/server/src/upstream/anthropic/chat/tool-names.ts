// Maps tool names and ids of calls to what Anthropic's API accepts: letters, digits, `_` and `-`.
import { createHash } from 'node:crypto'
import type { Tool } from '@fairgate/contracts/chat/tools.ts'
import { splitToolCallId } from '../../tool-call-id.ts'

const accepted = /^[\w-]{1,128}$/

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length)
}

/** The name itself if it is accepted; otherwise its readable part and a hash. */
export function toInnerName(name: string): string {
  if (accepted.test(name)) return name
  return `${name.replace(/[^\w-]/g, '_').slice(0, 55)}_${digest(name, 8)}`
}

/** Inner name → the name that the client declared, for those that differ. */
export function listOuterNames(tools: readonly Tool[]): ReadonlyMap<string, string> {
  const renamed = tools.filter(({ function: { name } }) => !accepted.test(name))
  return new Map(renamed.map(({ function: { name } }) => [toInnerName(name), name]))
}

/** Without the state that it carries. The same for a call and for its result. */
export function toInnerId(toolCallId: string): string {
  const { id } = splitToolCallId(toolCallId)
  return accepted.test(id) ? id : `toolu_${digest(id, 24)}`
}
