// Finds the text of an OpenAI message, which may be a string or a list of parts.
import { isObject, type Json } from '../json.ts'

/** The text of the last message. */
export function lastPrompt({ messages }: Json): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  return isObject(last) ? textOf(last.content) : ''
}

export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isObject)
    .map(part => (typeof part.text === 'string' ? part.text : ''))
    .join('\n')
}
