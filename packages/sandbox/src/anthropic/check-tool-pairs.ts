// Checks that every tool call of a conversation has its result in the next message, and every result its call.
import { refuseMember } from './anthropic-error.ts'
import type { Message } from './read-messages.ts'

/** Consecutive messages of one role count as one. Throws VendorError 400. */
export function checkToolPairs(messages: readonly Message[]): void {
  let [open, at, role]: [Set<string>, number, string] = [new Set(), 0, '']
  const refuseOpen = () =>
    refuseMember(
      `messages.${at}`,
      `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    )
  const seen = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue
    if (message.role === 'assistant' && role === 'user' && open.size > 0) throw refuseOpen()
    role = message.role
    let isText = false
    for (const [blockIndex, { type, id, tool_use_id: answered }] of message.content.entries()) {
      const place = `messages.${index}.content.${blockIndex}`
      if (type === 'tool_use') {
        if (seen.has(String(id))) throw refuseMember('messages', '`tool_use` ids must be unique')
        seen.add(String(id))
        open.add(String(id))
        at = index
      }
      if (type === 'text' && message.role === 'user') isText = true
      if (type !== 'tool_result') continue
      // Text before the results of a turn hides them.
      if (isText && open.size > 0) throw refuseOpen()
      if (!open.delete(String(answered)))
        throw refuseMember(
          place,
          `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(answered)}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        )
    }
  }
  if (open.size > 0) throw refuseOpen()
}
