// Replaces rows that have changed since they were read.
import type { TeamRow, TeamsReply } from '@fairgate/contracts/console/teams.ts'

/** Returns the same object if no row changed, so that nothing re-renders. */
export function patchRows(page: TeamsReply, changed: ReadonlyMap<string, TeamRow>): TeamsReply {
  if (!page.items.some(({ team_id }) => changed.has(team_id))) return page
  return { ...page, items: page.items.map(row => changed.get(row.team_id) ?? row) }
}
