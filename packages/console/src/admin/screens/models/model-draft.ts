// Turns the model form into an edit of the catalog file. Pure.
import type { CatalogModelRecord, ModelEdits } from '@fairgate/contracts/management/catalog.ts'

export type ModelDraft = {
  readonly id: string
  readonly upstreamId: string
  /** Price member → dollars as typed. */
  readonly prices: Readonly<Record<string, string>>
  /** Empty for no limit. */
  readonly rpm: string
  readonly tpm: string
  /** Such as `2026-12-31`; empty if the model does not retire. */
  readonly retiresOn: string
}

export function isAmount(text: string): boolean {
  return /^\d+(\.\d+)?$/.test(text)
}

export function isCount(text: string): boolean {
  return /^\d*$/.test(text)
}

export function isDay(text: string): boolean {
  return text === '' || (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)))
}

/** Null while incomplete or unchanged. Has only what differs from `model`; a new model also copies the rest of `model`. */
export function buildEdit(model: CatalogModelRecord, draft: ModelDraft, isNew: boolean): ModelEdits | null {
  const prices = Object.entries(draft.prices)
  const isComplete =
    draft.id !== '' &&
    draft.upstreamId !== '' &&
    prices.every(([, usd]) => isAmount(usd)) &&
    [draft.rpm, draft.tpm].every(isCount) &&
    isDay(draft.retiresOn)
  if (!isComplete) return null
  const typed = {
    rpm_limit: draft.rpm === '' ? null : Number(draft.rpm),
    tpm_limit: draft.tpm === '' ? null : Number(draft.tpm),
    retires_on: draft.retiresOn === '' ? null : draft.retiresOn,
  }
  const price = Object.fromEntries(prices.map(([unit, usd]) => [unit, Number(usd)]))
  if (isNew) return { [draft.id]: copyModel(model, { ...typed, upstream_id: draft.upstreamId, price }) }
  const changed = Object.fromEntries(
    Object.entries(typed).filter(([member, value]) => value !== model[member as keyof typeof typed]),
  )
  const changedPrice = Object.fromEntries(
    Object.entries(price).filter(([unit, usd]) => usd !== model.price[unit]),
  )
  const entry = { ...changed, ...(Object.keys(changedPrice).length === 0 ? {} : { price: changedPrice }) }
  return Object.keys(entry).length === 0 ? null : { [model.id]: entry }
}

/** Copies a model as the file has it, without defaults. */
function copyModel(
  {
    modality,
    upstream,
    context_limit,
    max_output,
    typical_output,
    reasoning,
    image_tokens,
    formats,
  }: CatalogModelRecord,
  own: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const entry = {
    modality: modality === 'chat' ? null : modality,
    upstream: upstream === 'vendor' ? null : upstream,
    context_limit,
    max_output: max_output === 0 ? null : max_output,
    typical_output: max_output === 0 ? null : typical_output,
    reasoning: reasoning === 'none' ? null : reasoning,
    image_tokens: Object.keys(image_tokens).length === 0 ? null : image_tokens,
    formats: formats.length === 0 ? null : formats,
    ...own,
  }
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null))
}
