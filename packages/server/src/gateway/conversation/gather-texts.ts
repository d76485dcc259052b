// The newest texts of a conversation: what the person wrote and what tools gave back. Agents repeat the history at every step.
import type { ChatRequest } from '@fairgate/contracts/chat/request.ts'
import type { ChatResult } from '../../upstream/port.ts'
import type { Results } from '../flow/paid-call.ts'

/** So many of each are digested for the record of the call. */
export const mostPrompts = 8
export const mostResults = 32

/** The oldest of them first. Each part of a message is a text of its own: tools put what they add beside what was typed. */
export function gatherTexts({ messages }: Pick<ChatRequest, 'messages'>): {
  readonly prompts: readonly string[]
  readonly results: readonly string[]
} {
  const prompts: string[] = []
  const results: string[] = []
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index]
    if (message === undefined || prompts.length + results.length >= mostPrompts + mostResults) break
    if (message.role === 'user' && prompts.length < mostPrompts)
      addTexts(prompts, message.content, mostPrompts)
    else if (message.role === 'tool' && results.length < mostResults) results.push(joinTexts(message.content))
  }
  return { prompts: prompts.reverse(), results: results.reverse() }
}

type Content =
  | string
  | readonly ({ readonly type: 'text'; readonly text: string } | { readonly type: string })[]

function addTexts(texts: string[], content: Content, most: number): void {
  if (typeof content === 'string') {
    texts.push(content)
    return
  }
  for (let index = content.length - 1; index >= 0 && texts.length < most; index -= 1) {
    const part = content[index]
    if (part !== undefined && 'text' in part) texts.push(part.text)
  }
}

function joinTexts(content: Content): string {
  if (typeof content === 'string') return content
  return content.map(part => ('text' in part ? part.text : '')).join('')
}

/** The text of a whole answer, for its digest; null when it is only calls or media. */
export function readAnswerText([{ choices }]: Results<Pick<ChatResult, 'choices'>>): string | null {
  return choices[0]?.text ?? null
}
