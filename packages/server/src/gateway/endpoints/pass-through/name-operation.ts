// Operations are named by models: the upstream by its own ids, we by ours.
import type { CatalogModel } from '../../../catalog/types.ts'

export type OperationName = { readonly upstream: string; readonly ours: string }

type Named = Pick<CatalogModel, 'id' | 'upstreamId'>

/** By the upstream's name: `models/veo-2/operations/1` is our `models/video-2/operations/1`; `operations/1` is the same to both. */
export function nameOperation({ id, upstreamId }: Named, upstream: string): OperationName {
  const prefix = `models/${upstreamId}/`
  const ours = upstream.startsWith(prefix) ? `models/${id}/${upstream.slice(prefix.length)}` : upstream
  return { upstream, ours }
}
