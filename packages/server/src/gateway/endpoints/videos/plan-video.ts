// Plans an order for a video: length, shape, first image and exact price for its model (spec 4.1).
import { isBase64, readDataUrl } from '@fairgate/contracts/chat/data-url.ts'
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { VideoRequest, VideoSize } from '@fairgate/contracts/videos/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Unit, Units } from '../../../ledger/price.ts'
import type { VideoWish } from '../../../ledger/video-task.ts'
import type { SentImage, VideoCall } from '../../../upstream/media-port.ts'
import { type CallPlan, planUnits } from '../../flow/admit.ts'
import { recogniseImage } from '../recognise-image.ts'

const shapes: Readonly<Record<VideoSize, Pick<VideoCall, 'aspectRatio' | 'resolution'>>> = {
  '1280x720': { aspectRatio: '16:9', resolution: '720p' },
  '1920x1080': { aspectRatio: '16:9', resolution: '1080p' },
  '720x1280': { aspectRatio: '9:16', resolution: '720p' },
  '1080x1920': { aspectRatio: '9:16', resolution: '1080p' },
}

const unitOf: Readonly<Record<VideoCall['resolution'], Unit>> = {
  '720p': 'second720p',
  '1080p': 'second1080p',
}

export function readWish({ prompt, seconds = '8', size = '1280x720' }: VideoRequest): VideoWish {
  return { prompt, seconds, size }
}

export type PlannedVideo = { readonly call: VideoCall; readonly units: Units; readonly plan: CallPlan }

/** Throws ApiError `invalid_request` for a model without a price per second: it only works on the pass-through. */
export function planVideo(wish: VideoWish, model: CatalogModel, image: SentImage | null): PlannedVideo {
  const shape = shapes[wish.size]
  const unit = unitOf[shape.resolution]
  if (model.price.tiers[0].rates[unit] === undefined) {
    throw invalidRequest(
      'model',
      `${model.id} makes no ${shape.resolution} videos here. Call it at /vendor/v1beta/models/${model.id}:predictLongRunning.`,
    )
  }
  const seconds = Number(wish.seconds)
  const units: Units = { [unit]: seconds }
  return {
    call: { model, prompt: wish.prompt, seconds, ...shape, image },
    units,
    plan: planUnits(model, 'videos', units),
  }
}

/**
 * The image that a video starts with: a file of the form, or a data URL in JSON. Null if none is given. The schema allows any value
 * as a file, so this checks it. Throws ApiError `invalid_request` if it is not a PNG, JPEG or WebP image.
 */
export async function readFirstImage(reference: unknown): Promise<SentImage | null> {
  if (reference === undefined || reference === null) return null
  if (reference instanceof Blob) return recognise(await reference.bytes(), 'as an uploaded file')
  if (typeof reference !== 'object' || !('image_url' in reference)) throw refuse('as an uploaded file')
  const { image_url: address } = reference
  const url = typeof address === 'string' ? readDataUrl(address) : null
  if (url === null || !isBase64(url.base64)) throw refuse('as a data URL (`data:image/png;base64,…`)')
  return recognise(Buffer.from(url.base64, 'base64'), 'but the data URL contains something else')
}

function recognise(bytes: Uint8Array, what: string): SentImage {
  const image = recogniseImage(bytes)
  if (image === null) throw refuse(what)
  return image
}

function refuse(what: string): ApiError {
  return invalidRequest('input_reference', `input_reference must be a PNG, JPEG or WebP image, ${what}.`)
}
