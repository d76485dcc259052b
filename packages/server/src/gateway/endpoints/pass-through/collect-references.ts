// Which files a prompt refers to by address: a reference reaches what other teams have made, or the open web.
import type { GeminiContent } from '@fairgate/contracts/gemini/content.ts'

/** The addresses in the order of the body; an address that is no text is given as JSON. */
export function collectReferences(contents: readonly GeminiContent[]): string[] {
  const parts = contents.flatMap(content => content.parts ?? [])
  const nested = parts.flatMap(part => part.functionResponse?.parts ?? [])
  return [...parts, ...nested].flatMap(({ fileData }) => {
    if (fileData === undefined) return []
    const { fileUri } = fileData
    return [typeof fileUri === 'string' ? fileUri : (JSON.stringify(fileUri) ?? '')]
  })
}
