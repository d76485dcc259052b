// The output of a tool in Gemini CLI is a text or a list of parts; an entry holds one text.
import { asText, textOf } from '../payload.ts'

export function flattenContent(content: unknown): string | null {
  if (!Array.isArray(content)) return partText(content)
  return content.map(part => partText(part) ?? '').join('')
}

function partText(part: unknown): string | null {
  if (typeof part !== 'object' || part === null) return asText(part)
  return textOf({ ...part }, 'text') ?? asText(part)
}
