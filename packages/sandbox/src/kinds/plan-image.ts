// Plans the answer of an image model: a short text and a PNG of the exact size, its colour drawn from the prompt.
import { countTokens } from '../count-tokens.ts'
import { invalid, optionalObject, optionalText, refuseUnknown } from '../json.ts'
import { pickColour } from '../media/hash.ts'
import { writePng } from '../media/png.ts'
import { type Answer, inlineData, plainAnswer } from '../reply/answer.ts'
import type { PlanFacts } from '../reply/plan-reply.ts'
import { sizeImage } from './image-size.ts'

const caption = 'Here is the image that you wanted.'
const configNames = new Set(['aspectRatio', 'imageSize'])
const safetyRatings = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map(name => ({
  category: `HARM_CATEGORY_${name}`,
  probability: 'NEGLIGIBLE',
}))

/** Throws VendorError 400 for audio, for text alone, and for a size the model does not make. */
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
