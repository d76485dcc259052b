// GET /user/info: an owner of keys, in LiteLLM's format.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { type UserInfo, userInfoSchema, userQuerySchema } from '@fairgate/contracts/info/user-info.ts'
import { requireTeam } from '../directory/refusals.ts'
import { buildUser, isOwnedBy } from '../directory/user-info.ts'
import { type AdminRoute, lookupRoute, type Management } from './management-route.ts'

export function userInfoRoute({ directory, records }: Management): AdminRoute {
  return lookupRoute({
    tag: 'Keys',
    openTo: 'organisers',
    path: '/user/info',
    summary: 'Get an owner of keys, with these keys and their teams',
    description:
      "In LiteLLM's format. The owner is the `user_id` of a key or the id of a member; `GET /people` lists members.",
    query: userQuerySchema,
    reply: userInfoSchema,
    errors: ['invalid_request', 'member_not_found'],
    look: async ({ user_id: id }): Promise<UserInfo> => {
      const member = directory.findMember(id)
      const owned = directory.keys().filter(key => isOwnedBy(key, id))
      if (member === undefined && owned.length === 0)
        throw new ApiError('member_not_found', {
          param: 'user_id',
          message: 'No key has this user_id, and no member has this id.',
        })
      const ids = new Set(owned.map(({ teamId }) => teamId))
      if (member !== undefined) ids.add(member.teamId)
      const [rows, teams] = await Promise.all([
        records.keyRows(owned),
        records.teamInfos([...ids].map(teamId => requireTeam(directory, teamId))),
      ])
      return {
        user_id: id,
        user_info: { ...buildUser(id, member, rows), teams: [...ids] },
        keys: rows,
        teams: teams.map(({ team_info }) => team_info),
      }
    },
  })
}
