// Checks what a prompt may ask of its model: nothing without a price, and nothing that reaches beyond the request itself.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { GeminiContent } from '@fairgate/contracts/gemini/content.ts'
import type { GeminiGenerate } from '@fairgate/contracts/gemini/generate-request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { LargeFiles } from '../../../upstream/large-files.ts'

/** The vendor's field, whichever way the number is written. */
const maxCandidates = 8

/** Everything that is read as prompt. */
export function contentsOf({ contents, systemInstruction }: GeminiGenerate): GeminiContent[] {
  return systemInstruction === undefined ? [...contents] : [...contents, systemInstruction]
}

/**
 * Throws ApiError `invalid_request` for a file URL: a reference reaches what other teams have made, or the open web. The marks of large
 * files are ours, and no client knows them.
 */
export function checkReferences(contents: readonly GeminiContent[], large?: LargeFiles): void {
  const parts = contents.flatMap(content => content.parts ?? [])
  const nested = parts.flatMap(part => part.functionResponse?.parts ?? [])
  const marks = new Set<unknown>([...(large?.files.values() ?? [])].map(({ mark }) => mark))
  if ([...parts, ...nested].every(({ fileData }) => fileData === undefined || marks.has(fileData.fileUri)))
    return
  throw invalidRequest('fileData', 'File URLs are not supported. Send files in the body as inlineData.')
}

/** Throws ApiError `invalid_request` for anything that the model has no price for, or does not make (spec 4.1). */
export function checkGenerate(request: GeminiGenerate, model: CatalogModel, large?: LargeFiles): void {
  checkReferences(contentsOf(request), large)
  checkModalities(request, model)
  checkImage(request, model)
  const [{ rates }] = model.price.tiers
  if (isSearching(request) && rates.search === undefined)
    throw invalidRequest('tools', `${model.id} does not support web search.`)
  const most = model.modality === 'image' || model.modality === 'music' ? 1 : maxCandidates
  if (countCandidates(request) > most) {
    throw invalidRequest('generationConfig.candidateCount', `${model.id} makes at most ${most} per request.`)
  }
}

export function isSearching({ tools = [] }: GeminiGenerate): boolean {
  return tools.some(({ googleSearch }) => googleSearch !== undefined)
}

export function countCandidates({ generationConfig }: GeminiGenerate): number {
  return Number(generationConfig?.candidateCount ?? 1)
}

function checkModalities({ generationConfig }: GeminiGenerate, { id, modality, price }: CatalogModel): void {
  const [{ rates }] = price.tiers
  const param = 'generationConfig.responseModalities'
  for (const asked of generationConfig?.responseModalities ?? []) {
    const name = asked.toUpperCase()
    if (name === 'IMAGE' && rates.outputImage === undefined)
      throw invalidRequest(param, `${id} does not support image output.`)
    const hasAudio = rates.outputAudio !== undefined || modality === 'music'
    if (name === 'AUDIO' && !hasAudio) throw invalidRequest(param, `${id} does not support audio output.`)
  }
}

/** Sizes belong to the third generation (spec 4.1); the number is in the id. */
function checkImage({ generationConfig }: GeminiGenerate, { id, modality }: CatalogModel): void {
  if (generationConfig?.imageConfig?.imageSize === undefined) return
  const generation = Number(/^mm-(\d+)/.exec(id)?.[1] ?? 0)
  if (modality === 'image' && generation >= 3) return
  throw invalidRequest(
    'generationConfig.imageConfig.imageSize',
    `${id} makes images in one size only: imageSize is for third-generation image models.`,
  )
}
