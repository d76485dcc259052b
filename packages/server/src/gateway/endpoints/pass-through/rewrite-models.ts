// Puts the upstream's model id where a body names ours, and leaves every other byte as it was sent.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { ModelName } from './read-body.ts'

/**
 * The same bytes where no model is named. `find`: the model that a name means. Throws ApiError `invalid_request` for a model
 * other than that of the path, which is the one that is priced.
 */
export function rewriteModels(
  body: { readonly bytes: Uint8Array; readonly modelNames: readonly ModelName[] },
  model: CatalogModel,
  find: (name: string) => CatalogModel | undefined,
): Uint8Array {
  if (body.modelNames.length === 0) return body.bytes
  const pieces: Uint8Array[] = []
  const replacement = Buffer.from(JSON.stringify(`models/${model.upstreamId}`))
  let from = 0
  for (const { start, end, name } of body.modelNames) {
    if (find(name.replace(/^models\//, ''))?.id !== model.id) {
      const message = `model must be models/${model.id}, the model of the path, as it is called here.`
      throw new ApiError('invalid_request', { param: 'model', message })
    }
    pieces.push(body.bytes.subarray(from, start), replacement)
    from = end
  }
  return Buffer.concat([...pieces, body.bytes.subarray(from)])
}
