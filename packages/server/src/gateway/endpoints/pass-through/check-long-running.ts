// What each generation of video models takes (the parameter table of spec 4.1): the schema knows the values, this their company.
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { GeminiLongRunning } from '@fairgate/contracts/gemini/long-running-request.ts'
import type { CatalogModel } from '../../../catalog/types.ts'

type Parameters = NonNullable<GeminiLongRunning['parameters']>
type Generation = 'second' | 'third'

/** Models after the third are made as the third. */
function generationOf({ id }: Pick<CatalogModel, 'id'>): Generation {
  return /^video-2\b/.test(id) ? 'second' : 'third'
}

const persons: Readonly<
  Record<
    Generation,
    Readonly<Record<'text' | 'image', readonly NonNullable<Parameters['personGeneration']>[]>>
  >
> = {
  second: { text: ['allow_all', 'allow_adult', 'dont_allow'], image: ['allow_adult', 'dont_allow'] },
  third: { text: ['allow_all'], image: ['allow_adult'] },
}

/** Throws ApiError `invalid_request` that names the parameter. */
export function checkLongRunning(
  { instances, parameters = {} }: GeminiLongRunning,
  model: Pick<CatalogModel, 'id'>,
): void {
  const generation = generationOf(model)
  const { aspectRatio, durationSeconds, sampleCount, resolution, personGeneration } = parameters
  if (generation === 'second' && resolution !== undefined)
    throw refuse('resolution', `${model.id} has one resolution only: leave resolution out.`)
  if (generation === 'third' && durationSeconds !== undefined)
    throw refuse('durationSeconds', 'durationSeconds is for models of the second generation only.')
  if (generation === 'third' && sampleCount === 2)
    throw refuse('sampleCount', `${model.id} makes one video a request.`)
  if (aspectRatio === '9:16' && resolution === '1080p')
    throw refuse('resolution', 'An upright video (9:16) is made in 720p only.')
  if (personGeneration === undefined) return
  const source = instances[0]?.image === undefined ? 'text' : 'image'
  const allowed = persons[generation][source]
  if (!allowed.includes(personGeneration)) {
    throw refuse('personGeneration', `From ${source}, personGeneration must be ${allowed.join(' or ')}.`)
  }
}

function refuse(name: keyof Parameters, message: string): ApiError {
  return invalidRequest(`parameters.${name}`, message)
}
