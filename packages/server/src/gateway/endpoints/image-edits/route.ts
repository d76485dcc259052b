// POST /images/edits: an image changed by a prompt.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { imageEditRequestSchema } from '@fairgate/contracts/images/edit-request.ts'
import { imageResponseSchema } from '@fairgate/contracts/images/response.ts'
import type { Catalog } from '../../../catalog/types.ts'
import { defineRoute } from '../../../http/route.ts'
import type { ImageCall, MediaUpstream } from '../../../upstream/media-port.ts'
import { findAllowedModel } from '../../find-allowed-model.ts'
import type { MediaCall } from '../../media-call.ts'
import { paidCallErrors } from '../../paid-call-errors.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import { planImages } from '../images/plan-images.ts'
import { writeImages } from '../images/write-images.ts'
import { readImages } from './read-images.ts'

export function imageEditsRoute(dependencies: {
  readonly mediaCall: MediaCall
  readonly catalog: Catalog
  readonly media: Pick<MediaUpstream, 'makeImages'>
  /** Unix ms. */
  readonly clock: () => number
  readonly maxBodyBytes: number
}) {
  const { mediaCall, catalog, media, clock, maxBodyBytes } = dependencies
  return defineRoute<Caller, typeof imageEditRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/images/edits',
    tag: 'Images',
    summary: 'An image changed by a prompt',
    description:
      'Send multipart/form-data with one `image` or several as `image[]`. For models of the imgalias family, which answer with one image. ' +
      'The header `x-gateway-response-cost` carries the cost in US dollars.',
    bodyKind: 'form',
    body: imageEditRequestSchema,
    maxBodyBytes,
    replies: { 200: imageResponseSchema },
    errors: paidCallErrors,
    handle: async (caller, context) => {
      const { model: name, prompt, image, aspect_ratio: aspectRatio, mask } = context.body
      const model = findAllowedModel(catalog, caller, name, 'image')
      if (mask !== undefined) {
        throw new ApiError('invalid_request', {
          param: 'mask',
          message: 'Masks are not offered: say in the prompt which part is to change.',
        })
      }
      const images = await readImages(Array.isArray(image) ? image : [image])
      const call: ImageCall = { model, prompt, count: 1, aspectRatio: aspectRatio ?? null, images }
      return mediaCall(caller, context, {
        plan: planImages(call),
        call: () => media.makeImages(call),
        respond: (result, headers) => writeImages(result, clock(), headers),
      })
    },
  })
}
