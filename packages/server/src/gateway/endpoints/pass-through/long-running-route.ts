// POST …:predictLongRunning: a video for one price per request, ordered and tracked like those of /v1/videos (spec 2.8, 4.1).
import type { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import {
  type GeminiLongRunning,
  geminiLongRunningSchema,
} from '@fairgate/contracts/gemini/long-running-request.ts'
import { geminiOperationSchema } from '@fairgate/contracts/gemini/replies.ts'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import { planUnits } from '../../flow/admit.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { describeVerb, type PassThroughParts, readVerb } from './describe-verb.ts'
import { nameOperation, relayJson } from './operations-routes.ts'
import { createBodyReader } from './read-body.ts'

/** As for predict: one spelling of each name. */
const readLongRunning = createBodyReader(geminiLongRunningSchema, (_, value) => value)

const units = { request: 1 }

export function longRunningRoute(dependencies: PassThroughParts): Route<Caller> {
  const { catalog, paidOrder, videoRelay, publicUrl } = dependencies
  return {
    ...describeVerb(dependencies, 'predictLongRunning', geminiLongRunningSchema, geminiOperationSchema),
    summary: 'Create a video as a long-running operation',
    description:
      'Works with any `video-` model at a fixed price per request, charged now (header `x-gateway-response-cost`) and refunded if the operation ends with an error or ' +
      'without a video. Poll the operation by its name; the URLs of its files lead through this gateway.',
    handle: async (caller: Caller, call: Call<Uint8Array>) => {
      const { model, body } = readVerb(catalog, caller, call, {
        modalities: ['video'],
        read: readLongRunning,
        check: checkLongRunning,
      })
      let reply = ''
      const { task, headers } = await paidOrder(caller, call, {
        plan: planUnits(model, 'predictLongRunning', units),
        units,
        wish: null,
        start: async () => {
          const started = await videoRelay.start(model, body, caller.team.teamId)
          reply = started.reply
          return started
        },
      })
      const operation = nameOperation(model, task.operation ?? '')
      return relayJson(reply, { operation, publicUrl: publicUrl() }, headers)
    },
  }
}

// The parameters of each generation of video models (the table of spec 4.1): the schema checks single values, this checks combinations.

type Parameters = NonNullable<GeminiLongRunning['parameters']>
type Generation = 'second' | 'third'

/** Models after the third generation are treated as the third. */
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
function checkLongRunning(
  { instances, parameters = {} }: GeminiLongRunning,
  model: Pick<CatalogModel, 'id'>,
): void {
  const generation = generationOf(model)
  const { aspectRatio, durationSeconds, sampleCount, resolution, personGeneration } = parameters
  if (generation === 'second' && resolution !== undefined)
    throw refuse('resolution', `${model.id} has only one resolution. Omit resolution.`)
  if (generation === 'third' && durationSeconds !== undefined)
    throw refuse('durationSeconds', 'durationSeconds is only for second-generation models.')
  if (generation === 'third' && sampleCount === 2)
    throw refuse('sampleCount', `${model.id} makes one video per request.`)
  if (aspectRatio === '9:16' && resolution === '1080p')
    throw refuse('resolution', 'Portrait videos (9:16) are only made in 720p.')
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
