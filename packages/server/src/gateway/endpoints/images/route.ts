// POST /images/generations: images from a prompt (spec 2.5, 4.1).
import { imageRequestSchema } from '@fairgate/contracts/images/request.ts'
import { imageResponseSchema } from '@fairgate/contracts/images/response.ts'
import type { Catalog } from '../../../catalog/types.ts'
import { defineRoute } from '../../../http/route.ts'
import type { MediaUpstream } from '../../../upstream/media-port.ts'
import { findAllowedModel } from '../../find-allowed-model.ts'
import type { MediaCall } from '../../media-call.ts'
import { paidCallErrors } from '../../paid-call-errors.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import { planImages, readImageCall } from './plan-images.ts'
import { writeImages } from './write-images.ts'

export function imagesRoute(dependencies: {
  readonly mediaCall: MediaCall
  readonly catalog: Catalog
  readonly media: Pick<MediaUpstream, 'makeImages'>
  /** Unix ms. */
  readonly clock: () => number
}) {
  const { mediaCall, catalog, media, clock } = dependencies
  return defineRoute<Caller, typeof imageRequestSchema, undefined>({
    method: 'POST',
    path: '/v1/images/generations',
    tag: 'Images',
    summary: 'Images from a prompt',
    description:
      'Models of the imggen family make 1 to 4 images a request, all others one. `size` counts for the imggen family only; ' +
      '`aspect_ratio` overrides it. The header `x-gateway-response-cost` carries the cost in US dollars.',
    body: imageRequestSchema,
    replies: { 200: imageResponseSchema },
    errors: paidCallErrors,
    handle: async (caller, context) => {
      const model = findAllowedModel(catalog, caller, context.body.model, 'image', 'imggen')
      const call = readImageCall(context.body, model)
      return mediaCall(caller, context, {
        plan: planImages(call),
        call: () => media.makeImages(call),
        respond: (result, headers) => writeImages(result, clock(), headers),
      })
    },
  })
}
