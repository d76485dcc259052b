// Builds requests that set limits back to their values before an action, from its list of changes.
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import type { PlannedRequest } from '../../../show/send-planned.ts'

type Body = Readonly<Record<string, unknown>>

/** Teams with the same old limits share a request. */
export function restoreTeamLimits(changes: readonly PlannedChange[]): readonly PlannedRequest[] {
  const alike = Map.groupBy(listBodies(changes), ({ body }) => JSON.stringify(body))
  return [...alike.values()].map(group => ({
    method: 'POST',
    path: '/teams/update',
    body: { teams: group.map(({ subject }) => subject), ...group[0]?.body },
  }))
}

export function restoreKeyLimits(changes: readonly PlannedChange[]): readonly PlannedRequest[] {
  return listBodies(changes).map(({ subject, body }) => ({
    method: 'POST',
    path: '/key/update',
    body: { key: subject, ...body },
  }))
}

function listBodies(changes: readonly PlannedChange[]) {
  return [...Map.groupBy(changes, ({ subject }) => subject)].map(([subject, own]) => ({
    subject,
    body: Object.assign({}, ...own.map(({ what }) => ({ [memberOf(what)]: readValue(what, own) }))) as Body,
  }))
}

/** Name of the member in the update's body. */
function memberOf(what: string): string {
  const [kind = ''] = what.split('.')
  return `${what.includes('.') ? 'set_' : ''}${kind.replace('_nano', '')}`
}

/** Limits by model are one member with a value for each model. */
function readValue(what: string, changes: readonly PlannedChange[]): unknown {
  const [kind = ''] = what.split('.')
  const write = (from: PlannedChange['from']) =>
    kind.endsWith('_nano') && typeof from === 'number' ? from / 1e9 : from
  if (!what.includes('.')) return write(changes.find(change => change.what === what)?.from ?? null)
  return Object.fromEntries(
    changes
      .filter(change => change.what.startsWith(`${kind}.`))
      .map(change => [change.what.slice(kind.length + 1), write(change.from)]),
  )
}
