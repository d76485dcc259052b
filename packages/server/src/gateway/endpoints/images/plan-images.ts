// Plans a request for images: number, shape and maximum cost for its model.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ImageRequest } from '@fairgate/contracts/images/request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import { inputCeiling, inputEstimate } from '../../../ledger/estimate-tokens.ts'
import { costOf, type Units } from '../../../ledger/price.ts'
import type { ImageCall } from '../../../upstream/media-port.ts'
import { type CallPlan, planUnits } from '../../flow/admit.ts'

/** OpenAI's sizes → the nearest ratio that the models know. */
const ratioOfSize: Readonly<Record<string, string>> = {
  auto: '1:1',
  '1024x1024': '1:1',
  '1536x1024': '4:3',
  '1024x1536': '3:4',
}

/** Text that a model may write next to its image, in tokens. */
const textBesideImage = 1024
/** Upper bound of a sent image's tokens: the largest that models tile one into. */
const tokensPerSentImage = 2600
/** The requested size: the endpoint has no other. */
const imageSize = '1K'

/** Throws ApiError `invalid_request` for anything that the model's family does not allow (spec 4.1, 8). */
export function readImageCall(request: ImageRequest, model: CatalogModel): ImageCall {
  const { prompt } = request
  const count = request.n ?? 1
  if (model.modality === 'image') {
    if (count > 1) {
      throw invalidRequest('n', `${model.id} makes one image per request. Send one request for each image.`)
    }
    return { model, prompt, count, aspectRatio: request.aspect_ratio ?? '1:1', images: [] }
  }
  const aspectRatio = request.aspect_ratio ?? ratioOf(request.size ?? '1024x1024')
  return { model, prompt, count, aspectRatio, images: [] }
}

function ratioOf(size: string): string {
  const ratio = Object.hasOwn(ratioOfSize, size) ? ratioOfSize[size] : undefined
  if (ratio !== undefined) return ratio
  throw invalidRequest('size', `size must be one of ${Object.keys(ratioOfSize).join(', ')}.`)
}

/** The estimate is exact for images billed by the piece, and an upper bound for those billed by tokens. */
export function planImages(call: ImageCall): CallPlan {
  const { model, prompt, count, images } = call
  if (model.modality === 'imggen') {
    return planUnits(model, 'images', { image: count })
  }
  const bytes = Buffer.byteLength(prompt)
  const outputImage = model.imageTokens.get(imageSize) ?? model.maxOutput
  const inputText = Math.min(inputCeiling(bytes, 1), model.contextLimit)
  const maxPerImage = model.kind === 'vendor' ? tokensPerSentImage : model.contextLimit
  const inputImage = Math.min(images.length * maxPerImage, model.contextLimit)
  const units: Units = { inputText, inputImage, outputImage, outputText: textBesideImage }
  return {
    model,
    endpoint: 'images',
    medium: images.length === 0 ? 'text' : 'image',
    tokens: { input: inputEstimate(bytes, 1) + inputImage, output: outputImage },
    estimate: { kind: 'fixed', cost: costOf(model.price, units, inputText + inputImage) },
  }
}
