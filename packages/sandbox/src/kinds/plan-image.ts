// Plans an image model's answer: a short text and a PNG of the exact size, with a colour derived from the prompt.
import { countTokens } from '../count-tokens.ts'
import { invalid, optionalObject, optionalText, refuseUnknown } from '../json.ts'
import { pickColour } from '../media/hash.ts'
import { writePng } from '../media/png.ts'
import { type Answer, inlineData, plainAnswer } from '../reply/answer.ts'
import type { PlanFacts } from '../reply/plan-reply.ts'

const caption = 'Here is the image that you wanted.'
const configNames = new Set(['aspectRatio', 'imageSize'])
const safetyRatings = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map(name => ({
  category: `HARM_CATEGORY_${name}`,
  probability: 'NEGLIGIBLE',
}))

/** Throws VendorError 400 for audio, for text alone, and for a size that the model does not support. */
export function planImage({ model, request, switches }: PlanFacts): Answer {
  const modalities = request.modalities ?? ['TEXT', 'IMAGE']
  if (!modalities.includes('IMAGE') || modalities.some(name => name !== 'TEXT' && name !== 'IMAGE')) {
    throw invalid(
      `The requested combination of response modalities (${modalities.join(', ')}) is not supported by the model.`,
    )
  }
  if (request.lastText === '' && request.media.length === 0) throw invalid('A prompt is required.')
  const config = optionalObject(request.config, 'imageConfig')
  refuseUnknown(config, configNames, " at 'generation_config.image_config'")
  const { tokens, ...size } = sizeImage(
    model,
    optionalText(config, 'aspectRatio'),
    optionalText(config, 'imageSize'),
  )
  const text = modalities.includes('TEXT') ? caption : ''
  const image = inlineData(
    'image/png',
    writePng({ ...size, colour: pickColour(request.lastText), fillBytes: switches.imageBytes }),
  )
  const interim =
    switches.thoughtImage === true
      ? [{ thought: true, ...inlineData('image/png', writePng({ ...size, colour: pickColour('interim') })) }]
      : []
  return {
    ...plainAnswer,
    text,
    textTokens: text === '' ? 0 : countTokens(text),
    thoughts: switches.thinkingTokens ?? 0,
    steps: [
      ...interim.map(part => ({ parts: [part], candidates: 0 })),
      { parts: [image], candidates: tokens },
    ],
    extras: { safetyRatings },
    candidatesDetails: [{ modality: 'IMAGE', tokenCount: tokens }],
    goods: { images: 1 },
  }
}

// Pixel sizes and token counts of images by model, aspect ratio and size, as the vendor's tables give them.

type Size = readonly [width: number, height: number]
type ImageFacts = { readonly width: number; readonly height: number; readonly tokens: number }

const secondGeneration: Readonly<Record<string, Size>> = {
  '1:1': [1024, 1024],
  '2:3': [832, 1248],
  '3:2': [1248, 832],
  '3:4': [864, 1184],
  '4:3': [1184, 864],
  '4:5': [896, 1152],
  '5:4': [1152, 896],
  '9:16': [768, 1344],
  '16:9': [1344, 768],
  '21:9': [1536, 672],
}

/** Sizes at 1K. 2K and 4K are two and four times as wide and high, and 512 is half as wide and high. */
const thirdGeneration: Readonly<Record<string, Size>> = {
  '1:1': [1024, 1024],
  '2:3': [848, 1264],
  '3:2': [1264, 848],
  '3:4': [896, 1200],
  '4:3': [1200, 896],
  '4:5': [928, 1152],
  '5:4': [1152, 928],
  '9:16': [768, 1376],
  '16:9': [1376, 768],
  '21:9': [1584, 672],
}

/** Only the 3.1 flash model makes strips. */
const strips: Readonly<Record<string, Size>> = {
  '1:4': [512, 2048],
  '4:1': [2048, 512],
  '1:8': [384, 3072],
  '8:1': [3072, 384],
}

type Tokens = Readonly<Record<string, number>>
const flatTokens: Tokens = { '1K': 1120, '2K': 1120, '4K': 1120 }
const flashTokens: Tokens = { '512': 747, '1K': 1120, '2K': 1680, '4K': 2520 }
const proTokens: Tokens = { '1K': 1120, '2K': 1120, '4K': 2000 }
const scales: Readonly<Record<string, number>> = { '512': 0.5, '1K': 1, '2K': 2, '4K': 4 }

/** Throws VendorError 400 for a ratio or size that the model does not support. */
function sizeImage(model: string, aspectRatio = '1:1', imageSize?: string): ImageFacts {
  if (model.startsWith('gemini-2')) {
    if (imageSize !== undefined) throw invalid('image_size is not supported for this model.')
    const [width, height] = pickSize(secondGeneration, aspectRatio)
    return { width, height, tokens: 1290 }
  }
  const isFlash = model.includes('-flash-image')
  const tokens = (isFlash ? flashTokens : model.includes('-pro-') ? proTokens : flatTokens)[imageSize ?? '1K']
  const scale = scales[imageSize ?? '1K']
  if (tokens === undefined || scale === undefined) {
    throw invalid(
      `* GenerateContentRequest.generation_config.image_config.image_size: invalid value ${imageSize}.`,
    )
  }
  const [width, height] = pickSize(isFlash ? { ...thirdGeneration, ...strips } : thirdGeneration, aspectRatio)
  return { width: width * scale, height: height * scale, tokens }
}

function pickSize(sizes: Readonly<Record<string, Size>>, aspectRatio: string): Size {
  const size = Object.hasOwn(sizes, aspectRatio) ? sizes[aspectRatio] : undefined
  if (size !== undefined) return size
  throw invalid(
    `* GenerateContentRequest.generation_config.image_config.aspect_ratio: aspect_ratio must be one of ${Object.keys(sizes).join(', ')}.`,
  )
}
