// Checks a `:predictLongRunning` body against the abilities of each generation of video models.
import {
  decodeBase64,
  invalid,
  type Json,
  member,
  optionalInteger,
  optionalObject,
  optionalText,
  refuseUnknown,
  requireList,
  requireObject,
} from '../json.ts'

export type VideoRequest = {
  readonly prompt: string
  readonly seconds: number
  readonly samples: number
  readonly width: number
  readonly height: number
}

const rootNames = new Set(['instances', 'parameters', 'webhookConfig'])
const instanceNames = new Set(['prompt', 'image', 'lastFrame', 'video', 'referenceImages'])
const parameterNames = new Set([
  'aspectRatio',
  'durationSeconds',
  'resolution',
  'sampleCount',
  'personGeneration',
  'negativePrompt',
  'enhancePrompt',
])

type Rules = {
  readonly durations: readonly number[]
  readonly resolutions: readonly string[]
  readonly samples: number
  /** Whether portrait videos are available above 720p. */
  readonly hasTallHd: boolean
  readonly personsFromText: readonly string[]
  readonly personsFromImage: readonly string[]
}

const second: Rules = {
  durations: [5, 6, 7, 8],
  resolutions: [],
  samples: 2,
  hasTallHd: false,
  personsFromText: ['allow_all', 'allow_adult', 'dont_allow'],
  personsFromImage: ['allow_adult', 'dont_allow'],
}
const third: Rules = {
  durations: [4, 6, 8],
  resolutions: ['720p', '1080p'],
  samples: 1,
  hasTallHd: false,
  personsFromText: ['allow_all'],
  personsFromImage: ['allow_adult'],
}

function findRules(model: string): Rules {
  if (model.startsWith('veo-2')) return second
  if (!model.startsWith('veo-3.1')) return third
  const resolutions = model.includes('-lite-') ? third.resolutions : [...third.resolutions, '4k']
  return { ...third, resolutions, hasTallHd: true }
}

/** Throws VendorError 400 for anything that the model does not accept. */
export function readVideoRequest(body: unknown, model: string): VideoRequest {
  const root = requireObject(body, 'the request')
  refuseUnknown(root, rootNames, '')
  const instances = requireList(member(root, 'instances'), "'instances'")
  if (instances.length !== 1) throw invalid('Exactly one instance is expected.')
  const instance = requireObject(instances[0], "'instances[0]'")
  refuseUnknown(instance, instanceNames, " at 'instances[0]'")
  const parameters = optionalObject(root, 'parameters')
  for (const name of Object.keys(parameters)) checkName(name)
  const rules = findRules(model)
  const hasImage = checkImages(instance)
  const prompt = optionalText(instance, 'prompt') ?? ''
  if (prompt === '' && !hasImage) throw invalid('Either a prompt or an image is required.')
  checkPerson(parameters, hasImage ? rules.personsFromImage : rules.personsFromText, hasImage)
  const seconds = optionalInteger(parameters, 'durationSeconds') ?? 8
  if (!rules.durations.includes(seconds)) {
    throw invalid(
      `The number value for \`durationSeconds\` is out of bound. Please provide one of ${rules.durations.join(', ')}.`,
    )
  }
  const samples = optionalInteger(parameters, 'sampleCount') ?? 1
  if (samples < 1 || samples > rules.samples) {
    throw invalid(`\`sampleCount\` must be from 1 to ${rules.samples} for this model.`)
  }
  return { prompt, seconds, samples, ...readSize(parameters, rules) }
}

function checkName(name: string): void {
  const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  if (parameterNames.has(camel)) return
  throw invalid(`\`${name}\` isn't supported by this model. Please remove it or refer to the documentation.`)
}

function checkImages(instance: Json): boolean {
  const image = member(instance, 'image')
  if (image !== undefined) checkImage(image, 'image')
  const last = member(instance, 'lastFrame')
  if (last !== undefined && image === undefined) throw invalid('`lastFrame` needs an `image` to start from.')
  if (last !== undefined) checkImage(last, 'lastFrame')
  const references = requireList(member(instance, 'referenceImages') ?? [], "'referenceImages'")
  if (references.length > 3) throw invalid('At most 3 reference images are supported.')
  for (const reference of references) {
    checkImage(member(requireObject(reference, "'referenceImages'"), 'image'), 'referenceImages.image')
  }
  return image !== undefined
}

function checkImage(value: unknown, name: string): void {
  const image = requireObject(value, `'${name}'`)
  const type = optionalText(image, 'mimeType')
  if (type !== 'image/png' && type !== 'image/jpeg' && type !== 'image/webp') {
    throw invalid(`\`${name}\` needs a mimeType of image/png or image/jpeg.`)
  }
  decodeBase64(member(image, 'bytesBase64Encoded'), `${name}.bytesBase64Encoded`)
}

function checkPerson(parameters: Json, allowed: readonly string[], hasImage: boolean): void {
  const value = optionalText(parameters, 'personGeneration')
  if (value === undefined || allowed.includes(value.toLowerCase())) return
  throw invalid(
    `${value} for personGeneration is currently not supported ${hasImage ? 'with an image' : 'without an image'}.`,
  )
}

function readSize(parameters: Json, rules: Rules): { width: number; height: number } {
  const ratio = optionalText(parameters, 'aspectRatio') ?? '16:9'
  if (ratio !== '16:9' && ratio !== '9:16') throw invalid(`Aspect ratio ${ratio} is not supported.`)
  const given = optionalText(parameters, 'resolution')
  if (given !== undefined && !rules.resolutions.includes(given.toLowerCase())) {
    throw invalid(`\`resolution\` ${given} isn't supported by this model.`)
  }
  const resolution = given?.toLowerCase() ?? '720p'
  const isTall = ratio === '9:16'
  if (isTall && resolution !== '720p' && (!rules.hasTallHd || resolution === '4k')) {
    throw invalid(`\`resolution\` ${resolution} isn't supported with aspect ratio 9:16.`)
  }
  const height = resolution === '4k' ? 2160 : resolution === '1080p' ? 1080 : 720
  const width = (height * 16) / 9
  return isTall ? { width: height, height: width } : { width, height }
}
