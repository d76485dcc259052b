// POST /team/{team_id}/uncharged/clear, and what organisers see of the use that no team was charged for.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  type ClearUnchargedReply,
  clearUnchargedBodySchema,
  clearUnchargedReplySchema,
  type UnchargedRecord,
} from '@fairgate/contracts/management/uncharged.ts'
import type { Directory } from '../directory/create-directory.ts'
import { oneInMillionths, type UnchargedSum } from '../ledger/hold-ratio.ts'
import type { AdminRoute } from './admin-route.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { changeRoute } from './management-route.ts'

/** `clock`: Unix ms. */
export function unchargedRoute(
  directory: Pick<Directory, 'clearUncharged' | 'version'>,
  clock: () => number,
): AdminRoute {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  return changeRoute({
    tag: 'Corrections',
    openTo: 'organisers',
    path: '/team/:team_id/uncharged/clear',
    pathExamples: { team_id: 'team-01' },
    summary: 'Hold the calls of a team by their estimates again',
    description: `A call that used more than was held for it raises the holds of later calls of its kind, and asks for attention. This ends both. The sums stay on record. ${previewText}`,
    body: clearUnchargedBodySchema,
    reply: orPreview(clearUnchargedReplySchema),
    errors: ['team_not_found', 'preview_outdated'],
    change: (body, actor, { team_id: teamId = '' }) =>
      answerAct(
        directory.clearUncharged(teamId, body, actor),
        moment,
        (sums): ClearUnchargedReply => ({ team_id: teamId, cleared: sums.length, ...moment() }),
      ),
  })
}

export function describeUncharged(sums: readonly UnchargedSum[]): UnchargedRecord[] {
  return sums.map(({ modelId, endpoint, medium, uncharged, open, ratio }) => ({
    ...{ model: modelId, endpoint, medium, uncharged_nano: uncharged, open_nano: open },
    hold_ratio: ratio / oneInMillionths,
  }))
}
