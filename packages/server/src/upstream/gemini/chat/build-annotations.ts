// The vendor's grounding → url_citation annotations: which part of the answer is based on which page.
import type { Annotation } from '@fairgate/contracts/chat/response.ts'
import { asArray, asRecord, asString } from '../../narrow-json.ts'

/** `text` is the whole answer. The vendor counts in UTF-8 bytes, clients in characters. */
export function buildAnnotations(grounding: unknown, text: string): readonly Annotation[] {
  const record = asRecord(grounding)
  if (record === null) return []
  const sources = asArray(record.groundingChunks).map(chunk => asRecord(asRecord(chunk)?.web))
  const supports = asArray(record.groundingSupports)
  if (sources.length === 0 || supports.length === 0) return []
  const bytes = Buffer.from(text)
  const charactersBefore = (value: unknown): number => {
    const offset = typeof value === 'number' && value > 0 ? Math.min(value, bytes.length) : 0
    return Array.from(bytes.subarray(0, offset).toString()).length
  }
  return supports.flatMap(item => {
    const support = asRecord(item)
    const segment = asRecord(support?.segment)
    if (segment === null) return []
    const start_index = charactersBefore(segment.startIndex)
    const end_index = charactersBefore(segment.endIndex)
    return asArray(support?.groundingChunkIndices).flatMap((index): Annotation[] => {
      const source = typeof index === 'number' ? sources[index] : null
      const url = asString(source?.uri)
      if (url === null) return []
      const title = asString(source?.title) ?? ''
      return [{ type: 'url_citation', url_citation: { start_index, end_index, url, title } }]
    })
  })
}
