// Routes that change many teams at once: POST /teams/update, /teams/grant, /teams/block, /teams/unblock, /teams/lock, /teams/unlock and
// /team/delete.

import {
  bulkReplySchema,
  chosenTeamsBodySchema,
  deletedTeamsSchema,
  grantTeamsBodySchema,
  lockTeamsBodySchema,
  updateTeamsBodySchema,
} from '@fairgate/contracts/management/bulk.ts'
import { deleteTeamsBodySchema } from '@fairgate/contracts/management/team-bodies.ts'
import type { BulkOutcome } from '../directory/bulk-commands.ts'
import { countMet } from './event-routes.ts'
import { type AdminRoute, changeRoute, type Management, previewText } from './management-route.ts'

const facts = {
  tag: 'Many teams',
  openTo: 'organisers',
  reply: bulkReplySchema,
  errors: ['team_not_found', 'preview_outdated', 'conflict'],
} as const
const rules = `Changes all of the teams or none. \`teams\` is a list of ids or \`all\`, and \`where\` selects those that match. ${previewText} The audit has one row per changed team, all with the same \`bulk_id\`.`

const blockings = [
  { path: '/teams/block', summary: 'Block all keys of many teams', blocked: true },
  { path: '/teams/unblock', summary: 'Unblock the keys of many teams', blocked: false },
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
      description: `Absent members stay unchanged; null removes a limit. ${rules}`,
      body: updateTeamsBodySchema,
      change: async (body, actor) => writeReply(await directory.updateTeams(body, actor)),
    }),
    changeRoute({
      ...facts,
      path: '/teams/grant',
      summary: 'Raise the budgets of many teams in their current period',
      description: `Spend stays unchanged. Grants end with the budget period. Teams without a budget are skipped with a warning. Sending the same \`adjustment_id\` again is refused with 409, so it counts once. ${rules}`,
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
      summary: 'Lock the boards of many teams, now or at a given time',
      description: `After the reply no further entry is stored. A time in the past causes a warning, which the \`preview_id\` confirms. ${rules}`,
      body: lockTeamsBodySchema,
      change: async (body, actor) => writeReply(await directory.lockBoards(body, actor)),
    }),
    changeRoute({
      ...facts,
      path: '/teams/unlock',
      summary: 'Open the boards of many teams again',
      description: `Lock times are removed too. ${rules}`,
      body: chosenTeamsBodySchema,
      change: async (body, actor) => writeReply(await directory.unlockBoards(body, actor)),
    }),
    changeRoute({
      ...facts,
      tag: 'Teams',
      path: '/team/delete',
      summary: 'Block teams and leave them out of lists',
      description: `Nothing is erased: calls, charges, entries and keys stay, and spend reports still name the team. \`GET /teams?hidden=true\` lists such teams; \`POST /team/unblock\` shows one again, with its keys as they were. Deletes all of them or none. ${previewText} The audit has one row per team, all with the same \`bulk_id\`.`,
      body: deleteTeamsBodySchema,
      reply: deletedTeamsSchema,
      change: async (body, actor) => {
        const outcome = await directory.hideTeams(body, actor)
        return {
          deleted_teams: outcome.applied ? [...new Set(body.team_ids)] : [],
          ...(await writeReply(outcome)),
        }
      },
    }),
  ]
}
