// POST /team/{team_id}/uncharged/clear, and the record of uncharged use for organisers.

import {
  clearUnchargedBodySchema,
  clearUnchargedReplySchema,
  type UnchargedRecord,
} from '@fairgate/contracts/management/uncharged.ts'
import { oneInMillionths, type UnchargedSum } from '../ledger/hold-ratio.ts'
import { type AdminRoute, actionRoute, type Management } from './management-route.ts'

export function unchargedRoute({ directory, moment }: Management): AdminRoute {
  return actionRoute(moment, {
    tag: 'Corrections',
    openTo: 'organisers',
    path: '/team/:team_id/uncharged/clear',
    summary: "Hold a team's calls by their estimates again",
    description:
      'A call that used more than was held for it raises the holds of later calls of its kind and needs attention. This ends both. The sums stay on record.',
    body: clearUnchargedBodySchema,
    reply: clearUnchargedReplySchema,
    errors: ['team_not_found'],
    action: (body, actor, { team_id: teamId = '' }) => directory.clearUncharged(teamId, body, actor),
    describe: (sums, _body, { team_id = '' }) => ({
      team_id,
      cleared: sums.length,
      ...moment(),
    }),
  })
}

export function describeUncharged(sums: readonly UnchargedSum[]): UnchargedRecord[] {
  return sums.map(({ modelId, endpoint, medium, uncharged, open, ratio }) => ({
    ...{ model: modelId, endpoint, medium, uncharged_nano: uncharged, open_nano: open },
    hold_ratio: ratio / oneInMillionths,
  }))
}
