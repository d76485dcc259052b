// Bounds the number of pages of a PDF. The pages are those named by its page tree: neither the page objects nor the declared count bound
// them.
import { countBytes } from '@fairgate/contracts/chat/data-url.ts'

/** Names as a PDF may write them: each character as itself, or as # and its code. */
const kids = /\/(?:K|#4b)(?:i|#69)(?:d|#64)(?:s|#73)/gi
const packedObjects = /\/(?:O|#4f)(?:b|#62)(?:j|#6a)(?:S|#53)(?:t|#74)(?:m|#6d)/i
const listStart = /[\s\0]*\[/y
const listEnd = /[\s\0]*\]/y
const reference = /[\s\0]*\d{1,10}[\s\0]+\d{1,5}[\s\0]+R/y

/** Larger documents are not read: reading takes 5 ms per MiB, during which the serving thread does nothing else. */
const maxBytes = 1024 ** 2
const fewestBytesPerPage = 1500

/**
 * The number of references in the only list of the page tree. Infinity for a document with packed objects, with multiple lists, or with a
 * list written in another way: a node that is named many times multiplies its pages, so a few bytes can represent millions.
 */
export function boundPages(base64: string): number {
  if (countBytes(base64) > maxBytes) return Number.POSITIVE_INFINITY
  const document = Buffer.from(base64, 'base64').toString('latin1')
  if (!document.startsWith('%PDF-') || packedObjects.test(document)) return Number.POSITIVE_INFINITY
  const list = findOnlyList(document)
  return list === null ? Number.POSITIVE_INFINITY : countReferences(document, list)
}

/** Where the list begins; null unless there is exactly one. */
function findOnlyList(document: string): number | null {
  kids.lastIndex = 0
  if (!kids.test(document)) return null
  const start = kids.lastIndex
  return kids.test(document) ? null : start
}

function countReferences(document: string, start: number): number {
  listStart.lastIndex = start
  if (!listStart.test(document)) return Number.POSITIVE_INFINITY
  let pages = 0
  let at = listStart.lastIndex
  for (reference.lastIndex = at; reference.test(document); at = reference.lastIndex) pages += 1
  listEnd.lastIndex = at
  return listEnd.test(document) ? Math.max(1, pages) : Number.POSITIVE_INFINITY
}

/** A page of a PDF rarely takes fewer bytes. */
export function likelyPages(base64: string): number {
  return Math.max(1, Math.ceil(countBytes(base64) / fewestBytesPerPage))
}
