// The common parts of the pass-through's routes: their dependencies, their descriptions, and how a request for
// `POST …/models/{model}:verb` is read.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import Type, { type TSchema } from 'typebox'
import type { Catalog, CatalogModel, Modality } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import type { RouteFamily } from '../../../http/route-family.ts'
import type { LargeFiles } from '../../../upstream/large-files.ts'
import type { Caller } from '../../flow/authenticate.ts'
import { freeCallErrors, paidCallErrors, upstreamErrors } from '../../flow/call-errors.ts'
import { findAllowedModel } from '../../flow/find-model.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { type AllowedQuery, checkCall, plainQuery } from './check-call.ts'
import { type GeminiBody, replaceModels } from './read-body.ts'
import type { AuthenticateUpload } from './resumable-upload.ts'

export type PassThroughParts = EndpointParts & {
  readonly family: RouteFamily<Caller>
  readonly authenticateUpload: AuthenticateUpload
  /** Makes a paid route safe to repeat. */
  readonly acceptIdempotencyKey: (route: Route<Caller>) => Route<Caller>
}

export const tag = 'Vendor pass-through'
export const modelsPath = '/vendor/v1beta/models'

/** The errors of a free call that asks the upstream. */
export const relayErrors: readonly ErrorCode[] = [
  'invalid_request',
  ...freeCallErrors,
  ...upstreamErrors,
  'unavailable',
]

const altQuery = Type.Object({
  alt: Type.Optional(Type.Enum(['json'], { description: 'The only supported reply format' })),
})

/** Models for the examples of verbs that are not for chat models. */
const exampleModels: Readonly<Record<string, string>> = {
  embedContent: 'mm-embedding-001',
  batchEmbedContents: 'mm-embedding-001',
  predict: 'imggen-4',
  predictLongRunning: 'video-3.0-generate-001',
}

/** The members of a route for `POST …/models/{model}:verb`. */
export function describeVerb(
  { family, maxBodyBytes }: Pick<PassThroughParts, 'family' | 'maxBodyBytes'>,
  verb: string,
  body: TSchema,
  reply: TSchema,
) {
  return {
    family,
    method: 'POST',
    path: `${modelsPath}/:model::${verb}`,
    pathExamples: { model: exampleModels[verb] ?? 'mm-2.5-flash' },
    tag,
    query: altQuery,
    body,
    bodyKind: 'bytes',
    maxBodyBytes,
    replies: { 200: reply },
    errors: [...paidCallErrors] as readonly ErrorCode[],
  } as const
}

/** How a verb reads its request. */
export type VerbReading<Value> = {
  readonly modalities: readonly [Modality, ...Modality[]]
  readonly read: (bytes: Uint8Array) => GeminiBody<Value>
  /** Throws ApiError for anything that the model does not support. */
  readonly check?: (value: Value, model: CatalogModel, large?: LargeFiles) => void
  readonly query?: AllowedQuery
}

export type ReadVerb<Value> = {
  readonly model: CatalogModel
  readonly value: Value
  /** Size of the body as the client sent it. */
  readonly bodyBytes: number
  /** The body for the upstream, with its own model ids. */
  readonly body: Uint8Array
  readonly query: ReadonlyMap<string, string>
  readonly largeFiles: LargeFiles | undefined
}

/** Throws ApiError for a refused request. Checked in this order: its URL and headers, its model, its body. */
export function readVerb<Value>(
  catalog: Catalog,
  caller: Caller,
  call: Call<Uint8Array>,
  { modalities, read, check, query: allowed = plainQuery }: VerbReading<Value>,
  largeFiles?: LargeFiles,
): ReadVerb<Value> {
  const query = checkCall(call.request, allowed)
  const model = findAllowedModel(catalog, caller, call.params.model ?? '', ...modalities)
  if (!isRelayed(model)) {
    throw invalidRequest(
      'model',
      `${model.id} is served by another provider, which does not support this API. Call it under /v1.`,
    )
  }
  const given = read(call.body)
  const { value, bytes } = given
  check?.(value, model, largeFiles)
  const body = replaceModels(given, model, name => findNamed(catalog, caller, name))
  return { model, value, bodyBytes: bytes.byteLength, body, query, largeFiles }
}

/** Only the vendor supports its own API. */
export function isRelayed({ upstream }: CatalogModel): boolean {
  return upstream === 'vendor'
}

/** The model that a name in a body or a URL means to this caller. */
export function findNamed(catalog: Catalog, { key }: Caller, name: string): CatalogModel | undefined {
  return catalog.find(key.aliases.get(name) ?? name)
}
