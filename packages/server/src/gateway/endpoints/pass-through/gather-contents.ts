// The newest texts of a prompt in the vendor's form: what the person wrote and what tools gave back.
import type { GeminiContent } from '@fairgate/contracts/gemini/content.ts'
import { mostPrompts, mostResults } from '../../conversation/gather-texts.ts'

/** The oldest of them first. Each part is a text of its own: tools put what they add beside what was typed. */
export function gatherContents(contents: readonly GeminiContent[]): {
  readonly prompts: readonly string[]
  readonly results: readonly string[]
} {
  const prompts: string[] = []
  const results: string[] = []
  for (let index = contents.length - 1; index >= 0; index -= 1) {
    if (prompts.length >= mostPrompts && results.length >= mostResults) break
    const { role = 'user', parts = [] } = contents[index] ?? {}
    if (role === 'model') continue
    for (const { text, functionResponse } of [...parts].reverse()) {
      if (functionResponse !== undefined) results.push(...readResponse(functionResponse.response))
      else if (text !== undefined && prompts.length < mostPrompts) prompts.push(text)
    }
  }
  return { prompts: prompts.reverse(), results: results.slice(0, mostResults).reverse() }
}

/** The vendor names no members for it. Its own clients write `output` or `error`. */
function readResponse(response: unknown): string[] {
  if (typeof response !== 'object' || response === null) return []
  const { output, error, result } = response as Readonly<Record<string, unknown>>
  return [output, error, result].filter(value => typeof value === 'string').slice(0, 1)
}
