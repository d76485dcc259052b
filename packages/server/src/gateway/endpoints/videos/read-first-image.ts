// The image that a video begins with: a file of the form, or a data URL in JSON.
import { isBase64, readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { SentImage } from '../../../upstream/media-port.ts'
import { recogniseImage } from '../image-edits/read-images.ts'

/**
 * Null when none is given. The schema lets anything be a file, so this looks itself. Throws ApiError `invalid_request` for what
 * is no PNG, JPEG or WebP image.
 */
export async function readFirstImage(reference: unknown): Promise<SentImage | null> {
  if (reference === undefined || reference === null) return null
  if (reference instanceof Blob) return recognise(await reference.bytes(), 'an uploaded file')
  if (typeof reference !== 'object' || !('image_url' in reference)) throw refuse('an uploaded file')
  const { image_url: address } = reference
  const url = typeof address === 'string' ? readDataUrl(address) : null
  if (url === null || !isBase64(url.base64)) throw refuse('given as a data URL, `data:image/png;base64,…`')
  return recognise(Buffer.from(url.base64, 'base64'), 'which the data URL does not hold')
}

function recognise(bytes: Uint8Array, what: string): SentImage {
  const image = recogniseImage(bytes)
  if (image === null) throw refuse(what)
  return image
}

function refuse(what: string): ApiError {
  return new ApiError('invalid_request', {
    param: 'input_reference',
    message: `input_reference must be a PNG, JPEG or WebP image, ${what}.`,
  })
}
