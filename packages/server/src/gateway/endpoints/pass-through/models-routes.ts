// GET …/models and …/models/{model}: the models that the calling key may call, in the vendor's format, by our ids.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import {
  type GeminiModel,
  type GeminiModels,
  geminiModelSchema,
  geminiModelsSchema,
} from '@fairgate/contracts/gemini/replies.ts'
import Type from 'typebox'
import type { CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors } from '../../flow/call-errors.ts'
import { modelsOfPhase } from '../../flow/check-event.ts'
import { type CallableModel, listCallable, refuseUnknownModel } from '../../flow/find-model.ts'
import { checkCall, pageQuery, plainQuery } from './check-call.ts'
import { isRelayed, modelsPath, type PassThroughParts, tag } from './describe-verb.ts'

const usualPage = 50
const largestPage = 1000

const generating = ['generateContent', 'streamGenerateContent', 'countTokens']

function methodsOf({ modality }: CatalogModel): string[] {
  if (modality === 'imggen') return ['predict']
  if (modality === 'video') return ['predictLongRunning']
  if (modality === 'embedding') return ['embedContent', 'batchEmbedContents', 'countTokens']
  return [...generating]
}

function describeModel({ name, model }: CallableModel): GeminiModel {
  return {
    name: `models/${name}`,
    version: 'v1beta',
    displayName: name,
    inputTokenLimit: model.contextLimit,
    outputTokenLimit: model.maxOutput,
    supportedGenerationMethods: methodsOf(model),
  }
}

/** Throws ApiError `invalid_request` for a token that was not issued. */
function pickPage(models: readonly CallableModel[], query: ReadonlyMap<string, string>): GeminiModels {
  const size = Math.min(Number(query.get('pageSize') ?? 0) || usualPage, largestPage)
  const start = readToken(query.get('pageToken') ?? '')
  const end = start + size
  const page = models.slice(start, end).map(describeModel)
  return { models: page, ...(end < models.length ? { nextPageToken: writeToken(end) } : {}) }
}

function writeToken(start: number): string {
  return Buffer.from(`models ${start}`).toString('base64url')
}

function readToken(token: string): number {
  if (token === '') return 0
  const start = /^models (\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString())?.[1]
  if (start !== undefined) return Number(start)
  throw invalidRequest('pageToken', 'pageToken is not valid. Use the nextPageToken of the previous page.')
}

export function modelsRoutes({ family, catalog, freeCall, ...parts }: PassThroughParts): Route<Caller>[] {
  const listRelayed = (caller: Caller) =>
    listCallable(catalog, caller, modelsOfPhase(parts)).filter(({ model }) => isRelayed(model))
  const common = {
    family,
    method: 'GET',
    tag,
    errors: ['invalid_request', ...freeCallErrors],
  } as const
  const list: Route<Caller> = {
    ...common,
    path: modelsPath,
    summary: "List the models this key can call, in the vendor's format",
    query: Type.Object({
      pageSize: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 999_999_999, description: 'Default 50, at most 1000' }),
      ),
      pageToken: Type.Optional(Type.String({ description: 'nextPageToken of the previous page' })),
    }),
    replies: { 200: geminiModelsSchema },
    handle: (caller: Caller, call: Call) => {
      const query = checkCall(call.request, pageQuery)
      return freeCall(caller, call, () => pickPage(listRelayed(caller), query))
    },
  }
  const one: Route<Caller> = {
    ...common,
    path: `${modelsPath}/:model{[^/:]+}`,
    pathExamples: { model: 'mm-2.5-flash' },
    summary: "Get a model that this key can call, in the vendor's format",
    replies: { 200: geminiModelSchema },
    errors: [...common.errors, 'model_not_found'],
    handle: (caller: Caller, call: Call) => {
      checkCall(call.request, plainQuery)
      const found = listRelayed(caller).find(({ name }) => name === call.params.model)
      if (found === undefined) throw refuseUnknownModel(catalog, caller, call.params.model ?? '')
      return freeCall(caller, call, () => describeModel(found))
    },
  }
  return [list, one]
}
