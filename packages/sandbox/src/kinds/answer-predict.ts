// Answers `:predict` for Imagen models: one PNG per sample, with some or all filtered on demand.
import {
  invalid,
  type Json,
  member,
  optionalInteger,
  optionalObject,
  optionalText,
  readBody,
  refuseUnknown,
  requireList,
  requireObject,
} from '../json.ts'
import { readHeader } from '../make-trouble.ts'
import { pickColour } from '../media/hash.ts'
import { writePng } from '../media/png.ts'
import { findSwitches, type Switches } from '../switches.ts'
import type { Tools } from '../tools.ts'

const rootNames = new Set(['instances', 'parameters'])
const instanceNames = new Set(['prompt'])
const parameterNames = new Set([
  'sampleCount',
  'aspectRatio',
  'sampleImageSize',
  'personGeneration',
  'safetySetting',
  'language',
  'guidanceScale',
  'includeRaiReason',
  'includeSafetyAttributes',
  'outputOptions',
])

/** Sizes at 1K. 2K doubles them. */
const sizes: Readonly<Record<string, readonly [width: number, height: number]>> = {
  '1:1': [1024, 1024],
  '3:4': [896, 1280],
  '4:3': [1280, 896],
  '9:16': [768, 1408],
  '16:9': [1408, 768],
}
const maxSamples = 4
const filteredReason =
  "Unable to show generated images. All images were filtered out because they violated Google's Responsible AI practices. You will not be charged for blocked images. Try rephrasing the prompt. Support codes: 29310472"

type Wish = {
  readonly prompt: string
  readonly samples: number
  readonly width: number
  readonly height: number
  readonly withReason: boolean
  readonly withAttributes: boolean
}

/** Throws VendorError 400 for unknown or illegal parameters. */
export function createPredict({ counters, countCall, commonSwitches, trouble }: Tools) {
  return (model: string, request: Request): Promise<Response> =>
    countCall(false, request, async () => {
      const wish = readWish(requireObject(await readBody(request), 'the request'), model)
      const switches = { ...commonSwitches(), ...findSwitches(wish.prompt), ...readHeader(request) }
      await trouble(switches, request.signal)
      const filtered =
        switches.allFiltered === true ? wish.samples : Math.min(switches.raiFiltered ?? 0, wish.samples)
      const images = wish.samples - filtered
      counters.bill(model, { prompt: 0, cached: 0, candidates: 0, thoughts: 0 }, { images })
      if (switches.allFiltered === true) return Response.json({})
      const predictions = [
        ...Array.from({ length: images }, (_, index) => draw(wish, index, switches)),
        ...(wish.withReason
          ? Array.from({ length: filtered }, () => ({ raiFilteredReason: filteredReason }))
          : []),
        ...(wish.withAttributes ? [describePrompt()] : []),
      ]
      return Response.json(predictions.length === 0 ? {} : { predictions })
    })
}

function draw({ prompt, width, height }: Wish, index: number, { imageBytes }: Switches): object {
  const png = writePng({ width, height, colour: pickColour(`${index} ${prompt}`), fillBytes: imageBytes })
  return { mimeType: 'image/png', bytesBase64Encoded: Buffer.from(png).toString('base64') }
}

function describePrompt(): object {
  return { contentType: 'Positive Prompt', safetyAttributes: { categories: ['Violence'], scores: [0.1] } }
}

function readWish(body: Json, model: string): Wish {
  refuseUnknown(body, rootNames, '')
  const instances = requireList(member(body, 'instances'), "'instances'")
  if (instances.length !== 1) throw invalid('Exactly one instance is expected.')
  const instance = requireObject(instances[0], "'instances[0]'")
  refuseUnknown(instance, instanceNames, " at 'instances[0]'")
  const prompt = optionalText(instance, 'prompt') ?? ''
  if (prompt === '') throw invalid('Text prompt is required.')
  const parameters = optionalObject(body, 'parameters')
  refuseUnknown(parameters, parameterNames, " at 'parameters'")
  const samples = optionalInteger(parameters, 'sampleCount') ?? 1
  if (samples < 1 || samples > maxSamples) {
    throw invalid(`sampleCount must be from 1 to ${maxSamples}, got ${samples}.`)
  }
  checkPerson(optionalText(parameters, 'personGeneration'))
  const type = optionalText(optionalObject(parameters, 'outputOptions'), 'mimeType') ?? 'image/png'
  if (type !== 'image/png') throw invalid(`The sandbox makes image/png only, not ${type}.`)
  const [width, height] = readSize(parameters, model)
  return {
    prompt,
    samples,
    width,
    height,
    withReason: member(parameters, 'includeRaiReason') !== false,
    withAttributes: member(parameters, 'includeSafetyAttributes') === true,
  }
}

function readSize(parameters: Json, model: string): readonly [number, number] {
  const ratio = optionalText(parameters, 'aspectRatio') ?? '1:1'
  const size = Object.hasOwn(sizes, ratio) ? sizes[ratio] : undefined
  if (size === undefined) throw invalid(`Aspect ratio ${ratio} is not supported.`)
  const name = optionalText(parameters, 'sampleImageSize') ?? '1K'
  if (name === '1K') return size
  if (name === '2K' && !model.includes('-fast-')) return [size[0] * 2, size[1] * 2]
  throw invalid(`Sample image size ${name} is not supported for models/${model}.`)
}

function checkPerson(value: string | undefined): void {
  if (value === undefined || ['dont_allow', 'allow_adult', 'allow_all'].includes(value.toLowerCase())) return
  throw invalid(`personGeneration ${value} is not supported.`)
}
