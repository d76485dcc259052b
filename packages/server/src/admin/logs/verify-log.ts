// GET /logs/verify: checks that a team's log is still what was acknowledged.
import {
  type LogVerification,
  logVerificationSchema,
} from '@fairgate/contracts/management/log-verification.ts'
import { teamIdQuerySchema } from '@fairgate/contracts/management/team-bodies.ts'
import { requireTeam } from '../../directory/refusals.ts'
import type { ChainReport } from '../../logbook/verify-chain/verify-team-chain.ts'
import { type AdminRoute, lookupRoute, type Management } from '../management-route.ts'

export function verifyLogRoute({ directory, verifyTeam }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Logs',
    openTo: 'everyone',
    path: '/logs/verify',
    summary: "Recompute a team's hash chain from what is stored",
    query: teamIdQuerySchema,
    reply: logVerificationSchema,
    errors: ['invalid_request', 'team_not_found', 'unavailable'],
    // Checking millions of entries takes a while.
    keepsOpen: true,
    look: async ({ team_id }) => {
      const { teamId } = requireTeam(directory, team_id)
      return describeChain(teamId, await verifyTeam(teamId))
    },
  })
}

function describeChain(teamId: string, chain: ChainReport): LogVerification {
  return {
    team_id: teamId,
    ok: chain.ok,
    entries: chain.checked,
    head: chain.ok ? { ...chain.head } : null,
    recorders: [...chain.recorders],
    problem: chain.ok ? null : { seq: chain.seq, kind: chain.problem },
  }
}
