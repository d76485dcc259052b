// Puts rows that have changed in the place of those that were read before.
import type { TeamRow, TeamsReply } from '@fairgate/contracts/console/teams.ts'

/** The same object where nothing of it changed, so that nothing is drawn again. */
export function patchRows(page: TeamsReply, changed: ReadonlyMap<string, TeamRow>): TeamsReply {
  if (!page.items.some(({ team_id }) => changed.has(team_id))) return page
  return { ...page, items: page.items.map(row => changed.get(row.team_id) ?? row) }
}
