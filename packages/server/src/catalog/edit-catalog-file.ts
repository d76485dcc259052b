// Changes models in the text of config/models.yaml: only what is asked for, and comments stay. Pure.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ModelEdits } from '@fairgate/contracts/management/catalog.ts'
import { parseDocument } from 'yaml'

/**
 * The new text. A model or member of `null` is removed, a price one by one; other models and members are added or replaced. What the members
 * may be is checked when the text is loaded. Throws ApiError `invalid_request` for a text that is not YAML, and for a model to remove that is not there.
 */
export function editCatalogFile(text: string, edits: ModelEdits): string {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined)
    throw new ApiError('invalid_request', { message: `The file is not YAML: ${error.message}` })
  for (const [id, entry] of Object.entries(edits)) {
    const path = ['models', id]
    if (entry === null) {
      if (!document.deleteIn(path))
        throw new ApiError('invalid_request', {
          param: `models.${id}`,
          message: `The file has no model "${id}" to remove.`,
        })
      continue
    }
    for (const [member, value] of Object.entries(entry)) {
      const isPrices = member === 'price' && typeof value === 'object' && value !== null
      const parts = isPrices
        ? Object.entries(value).map(
            ([unit, usd]: [string, unknown]) => [[...path, member, unit], usd] as const,
          )
        : [[[...path, member], value] as const]
      for (const [place, next] of parts)
        if (next === null) document.deleteIn(place)
        else document.setIn(place, next)
    }
  }
  // The width of the file that Fairgate ships; longer lists are folded.
  return document.toString({ lineWidth: 130 })
}
