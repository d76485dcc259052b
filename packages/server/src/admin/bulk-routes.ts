// POST /teams/update, /teams/grant, /teams/block, /teams/unblock, /teams/lock and /teams/unlock: acts on many teams at once.

import {
  bulkReplySchema,
  chosenTeamsBodySchema,
  grantTeamsBodySchema,
  lockTeamsBodySchema,
  updateTeamsBodySchema,
} from '@fairgate/contracts/management/bulk.ts'
import type { BulkOutcome } from '../directory/bulk-commands.ts'
import { countMet } from './event-routes.ts'
import { type AdminRoute, changeRoute, type Management, previewText } from './management-route.ts'

const facts = {
  tag: 'Many teams',
  openTo: 'organisers',
  reply: bulkReplySchema,
  errors: ['team_not_found', 'preview_outdated', 'conflict'],
} as const
const rules = `All of the teams or none; \`teams\` are ids or \`all\`, and \`where\` leaves those that match. ${previewText} The audit has a row for each team that was changed, all with one \`bulk_id\`.`

const blockings = [
  { path: '/teams/block', summary: 'Stop all keys of many teams', blocked: true },
  { path: '/teams/unblock', summary: 'Let the keys of many teams work again', blocked: false },
] as const

export function bulkRoutes(management: Management): AdminRoute[] {
  const { directory, moment } = management
  const writeReply = async ({ previewId, bulkId, teams, applied, changes, warnings }: BulkOutcome) => ({
    applied,
    preview_id: previewId,
    bulk_id: bulkId,
    changes: [...changes],
    warnings: [...warnings],
    meets: { ...(await countMet(management)), teams },
    ...moment(),
  })
  return [
    changeRoute({
      ...facts,
      path: '/teams/update',
      summary: 'Change many teams',
      description: `Absent members stay as they are; null takes a limit away. ${rules}`,
      body: updateTeamsBodySchema,
      change: async (body, actor) => writeReply(await directory.updateTeams(body, actor)),
    }),
    changeRoute({
      ...facts,
      path: '/teams/grant',
      summary: 'Raise the budgets of many teams in their present period',
      description: `What was spent stays as it is. With the next budget period the grants are over. Teams without a budget are left out, with a warning. The same \`adjustment_id\` twice is refused with 409 the second time, and counts once. ${rules}`,
      body: grantTeamsBodySchema,
      change: async (body, actor) => writeReply(await directory.grantTeams(body, actor)),
    }),
    ...blockings.map(({ path, summary, blocked }) =>
      changeRoute({
        ...facts,
        path,
        summary,
        description: rules,
        body: chosenTeamsBodySchema,
        change: async (body, actor) => writeReply(await directory.setTeamsBlocked(body, blocked, actor)),
      }),
    ),
    changeRoute({
      ...facts,
      path: '/teams/lock',
      summary: 'Lock the boards of many teams, now or at a set time',
      description: `Once this has answered no further entry is stored. A time in the past is a warning, which the \`preview_id\` confirms. ${rules}`,
      body: lockTeamsBodySchema,
      change: async (body, actor) => writeReply(await directory.lockBoards(body, actor)),
    }),
    changeRoute({
      ...facts,
      path: '/teams/unlock',
      summary: 'Open the boards of many teams again',
      description: `Set times are taken away too. ${rules}`,
      body: chosenTeamsBodySchema,
      change: async (body, actor) => writeReply(await directory.unlockBoards(body, actor)),
    }),
  ]
}
