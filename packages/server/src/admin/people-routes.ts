// GET and POST /people; GET, POST and DELETE /people/{member_id}.

import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  listPeopleQuerySchema,
  newPersonBodySchema,
  type People,
  type PersonReply,
  peopleSchema,
  personReplySchema,
  removePersonQuerySchema,
  updatePersonBodySchema,
} from '@fairgate/contracts/management/people.ts'
import type { Directory } from '../directory/create-directory.ts'
import type { ActResult } from '../directory/planned-act.ts'
import { buildPerson } from '../directory/records.ts'
import { refuseValue, requireMember, requireTeam } from '../directory/refusals.ts'
import type { Member } from '../directory/types.ts'
import { type AdminRoute, defineAdminRoute } from './admin-route.ts'
import type { AdminCaller } from './authenticate-admin.ts'
import { answerAct, orPreview, previewText } from './describe-preview.ts'
import { answer, changeRoute, lookupRoute } from './management-route.ts'

const tag = 'People'
const defaultLimit = 100
const pathExamples = { member_id: 'mb_1' }
const personOrPreviewSchema = orPreview(personReplySchema)

export function peopleRoutes(directory: Directory, clock: () => number): AdminRoute[] {
  const moment = () => ({ as_of: isoTime(clock()), version: directory.version() })
  const describePeople = (members: readonly Member[]) => {
    const keys = Map.groupBy(directory.keys(), ({ memberId }) => memberId ?? null)
    const tokens = Map.groupBy(directory.logTokens(), ({ memberId }) => memberId ?? null)
    return members.map(member =>
      buildPerson(member, keys.get(member.memberId) ?? [], tokens.get(member.memberId) ?? []),
    )
  }
  const describeOne = (member: Member): PersonReply => {
    const [person] = describePeople([member])
    if (person === undefined) throw new Error('A member was described as nobody.')
    return { ...person, ...moment() }
  }
  const answerMember = (act: Promise<ActResult<Member>>) => answerAct(act, moment, describeOne)

  return [
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/people',
      summary: 'Members of all teams or one, with their keys and log tokens, in the order of their creation',
      query: listPeopleQuerySchema,
      reply: peopleSchema,
      errors: ['invalid_request', 'team_not_found'],
      look: ({ team_id, removed = false, limit = defaultLimit, after }): People => {
        if (team_id !== undefined) requireTeam(directory, team_id)
        const found = directory
          .members()
          .filter(member => removed || member.removedAt === null)
          .filter(member => team_id === undefined || member.teamId === team_id)
        const last = after === undefined ? -1 : found.findIndex(({ memberId }) => memberId === after)
        if (after !== undefined && last < 0) throw refuseValue('after', 'take the `next` of the page before.')
        const page = found.slice(last + 1, last + 1 + limit)
        const isLast = last + 1 + limit >= found.length
        return {
          items: describePeople(page),
          next: isLast ? null : (page.at(-1)?.memberId ?? null),
          total: { count: found.length },
          ...moment(),
        }
      },
    }),
    lookupRoute({
      tag,
      openTo: 'organisers',
      path: '/people/:member_id',
      pathExamples,
      summary: 'One member',
      reply: personReplySchema,
      errors: ['member_not_found'],
      look: (_query, { params }) => describeOne(requireMember(directory, params.member_id ?? '')),
    }),
    changeRoute({
      tag,
      openTo: 'organisers',
      path: '/people',
      summary: 'Add a member to a team',
      description: `Keys and log tokens may belong to a member, and a claim link offers the member a seat. ${previewText}`,
      body: newPersonBodySchema,
      reply: personOrPreviewSchema,
      errors: ['team_not_found', 'conflict', 'preview_outdated'],
      change: (body, actor) => answerMember(directory.createMember(body, actor)),
    }),
    defineAdminRoute({
      method: 'POST',
      tag,
      openTo: 'organisers',
      path: '/people/:member_id',
      pathExamples,
      summary: 'Change a member',
      description: 'Absent members of the body stay as they are.',
      body: updatePersonBodySchema,
      replies: { 200: personReplySchema },
      errors: [
        'admin_unauthorized',
        'invalid_request',
        'invalid_json',
        'member_not_found',
        'conflict',
        'unavailable',
      ],
      handle: async ({ actor }: AdminCaller, { params, body }) =>
        answer(describeOne(await directory.updateMember(params.member_id ?? '', body, actor))),
    }),
    defineAdminRoute({
      method: 'DELETE',
      tag,
      openTo: 'organisers',
      path: '/people/:member_id',
      pathExamples,
      summary: 'Remove a member from a team',
      description: `Refused for a member with working keys or log tokens until \`keys\` says what becomes of them. The name stays for reports; the address is deleted. ${previewText}`,
      query: removePersonQuerySchema,
      replies: { 200: personOrPreviewSchema },
      errors: [
        'admin_unauthorized',
        'invalid_request',
        'member_not_found',
        'conflict',
        'preview_outdated',
        'unavailable',
      ],
      handle: async ({ actor }: AdminCaller, { params, query }) =>
        answer(await answerMember(directory.removeMember(params.member_id ?? '', query, actor))),
    }),
  ]
}
