// Compares two catalogs model by model and member by member, for the audit and for the organiser who reloads.
import type { CatalogModelRecord } from '@fairgate/contracts/management/catalog.ts'

type States = Record<string, Readonly<Record<string, unknown>>>

/** `before`: id → the changed members with their old values; for a removed model, all members. `after` likewise. */
export function compareCatalogs(before: readonly CatalogModelRecord[], after: readonly CatalogModelRecord[]) {
  const [known, next] = [byId(before), byId(after)]
  const added = after.filter(({ id }) => !known.has(id))
  const removed = before.filter(({ id }) => !next.has(id))
  const states: { before: States; after: States } = {
    before: Object.fromEntries(removed.map(model => [model.id, model])),
    after: Object.fromEntries(added.map(model => [model.id, model])),
  }
  const changed: string[] = []
  for (const model of after) {
    const old = known.get(model.id)
    const members = old === undefined ? [] : listChanges(old, model)
    if (old === undefined || members.length === 0) continue
    changed.push(model.id)
    states.before[model.id] = pick(old, members)
    states.after[model.id] = pick(model, members)
  }
  return {
    added: added.map(({ id }) => id),
    removed: removed.map(({ id }) => id),
    changed,
    ...states,
  }
}

function byId(models: readonly CatalogModelRecord[]): ReadonlyMap<string, CatalogModelRecord> {
  return new Map(models.map(model => [model.id, model]))
}

type Member = keyof CatalogModelRecord

function listChanges(before: CatalogModelRecord, after: CatalogModelRecord): Member[] {
  const members = Object.keys(after) as Member[]
  return members.filter(member => JSON.stringify(before[member]) !== JSON.stringify(after[member]))
}

function pick(model: CatalogModelRecord, members: readonly Member[]): Record<string, unknown> {
  return Object.fromEntries(members.map(member => [member, model[member]]))
}
