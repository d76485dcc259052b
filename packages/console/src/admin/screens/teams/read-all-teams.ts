// Reads all teams that match the filter, page by page.
import type { TeamRow, TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { SendRequest } from '../../../api/request.ts'

export async function readAllTeams(
  send: SendRequest,
  { q, state }: { readonly q?: string | undefined; readonly state?: string | undefined },
): Promise<readonly TeamRow[]> {
  const rows: TeamRow[] = []
  let after: string | null = null
  do {
    const page: TeamsReply = await send<TeamsReply>('GET', '/teams', {
      // Sorted by id so that no team is missed while figures change.
      query: { q, state, sort: 'team_id', limit: 500, after },
    })
    rows.push(...page.items)
    after = page.next
  } while (after !== null)
  return rows
}
