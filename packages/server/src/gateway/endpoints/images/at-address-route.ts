// GET /v1/images/{image}: an image that a call with `response_format: "url"` has made. Its address is the only credential.
import Type from 'typebox'
import { type ImageAddresses, imageExtensions } from '../../../files/image-addresses.ts'
import { defineRoute, type Route } from '../../../http/route.ts'

export const addressPath = '/v1/images'

export function imageAtAddressRoute(images: Pick<ImageAddresses, 'open'>): Route<null> {
  return defineRoute<null, undefined, undefined>({
    method: 'GET',
    path: `${addressPath}/:image{image-[^/:]+}`,
    tag: 'Images',
    summary: 'Download an image by its address',
    description:
      'The address is the `url` of an image that was made with `response_format: "url"`. It needs no key and works for an hour.',
    replies: {
      200: Object.keys(imageExtensions).map(contentMediaType =>
        Type.String({ description: 'The image', contentMediaType }),
      ),
    },
    replyHeaders: ['cache-control', 'content-disposition', 'cross-origin-resource-policy'],
    errors: ['file_not_found', 'image_expired', 'unavailable'],
    isCrossOrigin: true,
    handle: async (_, call) => {
      call.keepOpen()
      const end = call.params.image ?? ''
      const { body, mimeType, bytes, seconds } = await images.open(end, call.request.signal)
      return new Response(body, {
        headers: {
          'content-length': String(bytes),
          // One of ours, and never a type that browsers run, such as SVG.
          'content-type': mimeType,
          'content-disposition': `inline; filename="${end.slice(0, end.indexOf('.'))}.${imageExtensions[mimeType]}"`,
          'cache-control': `private, max-age=${seconds}`,
          // Pages that isolate themselves (COEP) can show it too.
          'cross-origin-resource-policy': 'cross-origin',
        },
      })
    },
  })
}
