// What every paid route of the pass-through is made from, and the members that all of them share.

import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ErrorCode } from '@fairgate/contracts/errors/registry.ts'
import Type, { type TSchema } from 'typebox'
import type { Catalog, CatalogModel } from '../../../catalog/types.ts'
import type { Call } from '../../../http/call.ts'
import type { Route } from '../../../http/route.ts'
import type { RouteFamily } from '../../../http/route-family.ts'
import type { Store } from '../../../store/store.ts'
import type { UsageReport } from '../../../upstream/port.ts'
import type { GeminiRelay, RelayedReply } from '../../../upstream/relay-port.ts'
import type { VideoRelay, VideoUpstream } from '../../../upstream/video-port.ts'
import type { NoteProgress } from '../../../videos/note-progress.ts'
import { findAllowedModel } from '../../find-allowed-model.ts'
import type { createInfoCall } from '../../info-call.ts'
import { infoCallErrors, upstreamErrors } from '../../info-call-errors.ts'
import type { MediaCall } from '../../media-call.ts'
import type { OrderCall } from '../../order-call.ts'
import { paidCallErrors } from '../../paid-call-errors.ts'
import type { Caller } from '../../stages/1-authenticate.ts'
import type { VendorStreamCall } from '../../vendor-stream-call.ts'

export type PassThroughDependencies = {
  readonly family: RouteFamily<Caller>
  readonly catalog: Catalog
  readonly relay: GeminiRelay
  readonly mediaCall: MediaCall
  readonly streamCall: VendorStreamCall
  readonly infoCall: ReturnType<typeof createInfoCall>
  readonly maxBodyBytes: number
  readonly orderCall: OrderCall
  readonly videoRelay: VideoRelay
  readonly videoUpstream: Pick<VideoUpstream, 'openFile'>
  readonly videoReads: Pick<Store['read'], 'readUpstreamOperation' | 'readUpstreamFile'>
  readonly noteProgress: NoteProgress
  /** Makes a paid route safe to repeat. */
  readonly acceptIdempotencyKey: (route: Route<Caller>) => Route<Caller>
  /** The gateway's address for clients, without a slash at its end; known once the door is open. */
  readonly publicUrl: () => string
}

export type BytesContext = Call<Uint8Array, unknown>

export const tag = 'Gemini pass-through'
export const modelsPath = '/vendor/v1beta/models'

/** What a call for information that asks the upstream can end with. */
export const relayErrors: readonly ErrorCode[] = [
  'invalid_request',
  ...infoCallErrors,
  ...upstreamErrors,
  'unavailable',
]

const altQuery = Type.Object({
  alt: Type.Optional(Type.Enum(['json'], { description: 'The only form of the reply' })),
})

/** Models for the examples, where the verb is not for those of chat. */
const exampleModels: Readonly<Record<string, string>> = {
  embedContent: 'mm-embedding-001',
  batchEmbedContents: 'mm-embedding-001',
  predict: 'imggen-4',
  predictLongRunning: 'video-3.0-generate-001',
}

/** The members of a route for `POST …/models/{model}:verb`. */
export function describeVerb(
  { family, maxBodyBytes }: Pick<PassThroughDependencies, 'family' | 'maxBodyBytes'>,
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

/** As any other endpoint finds its model: by id, alias, or the key's own alias. */
export function findPathModel(
  catalog: Catalog,
  caller: Caller,
  { params }: BytesContext,
  modalities: Parameters<typeof findAllowedModel>[3][],
): CatalogModel {
  const [first, ...others] = modalities
  if (first === undefined) throw new Error('Name the kinds of models that the route takes.')
  const model = findAllowedModel(catalog, caller, params.model ?? '', first, ...others)
  if (isRelayed(model)) return model
  throw new ApiError('invalid_request', {
    param: 'model',
    message: `${model.id} is served by another provider, which does not speak this API. Call it under /v1.`,
  })
}

/** Only the vendor speaks its own API. */
export function isRelayed({ upstream }: CatalogModel): boolean {
  return upstream === 'vendor'
}

/** Which model a name in a body means to this caller. */
export function createFind(catalog: Catalog, caller: Caller) {
  return (name: string): CatalogModel | undefined => catalog.find(caller.key.aliases.get(name) ?? name)
}

export type RelayResult = { readonly reply: RelayedReply; readonly usage: UsageReport }

/** The vendor's bytes under our headers. */
export function respondWith({ reply }: RelayResult, headers: Readonly<Record<string, string>>): Response {
  return new Response(reply.body, { headers: { ...headers, 'content-type': reply.contentType } })
}
