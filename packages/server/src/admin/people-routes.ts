// Routes for members: GET and POST /people; GET, POST and DELETE /people/{member_id}.

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
import { takePage } from '../directory/pages.ts'
import { buildPerson } from '../directory/records.ts'
import { requireMember, requireTeam } from '../directory/refusals.ts'
import type { Member } from '../directory/types.ts'
import {
  type AdminRoute,
  actionRoute,
  changeRoute,
  lookupRoute,
  type Management,
} from './management-route.ts'

const facts = { tag: 'People', openTo: 'organisers' } as const

export function peopleRoutes({ directory, moment, stamp }: Management): AdminRoute[] {
  const describePeople = (members: readonly Member[]) => {
    const keys = Map.groupBy(directory.keys(), ({ memberId }) => memberId ?? null)
    const tokens = Map.groupBy(directory.logTokens(), ({ memberId }) => memberId ?? null)
    return members.map(member =>
      buildPerson(member, keys.get(member.memberId) ?? [], tokens.get(member.memberId) ?? []),
    )
  }
  const describe = (member: Member): PersonReply => {
    const isOwn = ({ memberId }: { readonly memberId?: string | null }) => memberId === member.memberId
    return stamp(buildPerson(member, directory.keys().filter(isOwn), directory.logTokens().filter(isOwn)))
  }

  return [
    lookupRoute({
      ...facts,
      path: '/people',
      summary: 'List members of all teams or one with their keys and log tokens, in order of creation',
      query: listPeopleQuerySchema,
      reply: peopleSchema,
      errors: ['invalid_request', 'team_not_found'],
      look: ({ team_id, removed = false, ...asked }): People => {
        if (team_id !== undefined) requireTeam(directory, team_id)
        const found = directory
          .members()
          .filter(member => removed || member.removedAt === null)
          .filter(member => team_id === undefined || member.teamId === team_id)
        const { page, next } = takePage(found, ({ memberId }) => memberId, asked)
        return { items: describePeople(page), next, total: { count: found.length }, ...moment() }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/people/:member_id',
      summary: 'Get one member',
      reply: personReplySchema,
      errors: ['member_not_found'],
      look: (_query, { params }) => describe(requireMember(directory, params.member_id ?? '')),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/people',
      summary: 'Add a member to a team',
      description: 'Keys and log tokens can belong to a member, and claim links offer the member a seat.',
      body: newPersonBodySchema,
      reply: personReplySchema,
      errors: ['team_not_found', 'conflict'],
      action: (body, actor) => directory.createMember(body, actor),
      describe,
    }),
    changeRoute({
      ...facts,
      path: '/people/:member_id',
      summary: 'Change a member',
      description: 'Absent members of the body stay unchanged.',
      body: updatePersonBodySchema,
      reply: personReplySchema,
      errors: ['member_not_found', 'conflict'],
      change: async (body, actor, { member_id: id = '' }) =>
        describe(await directory.updateMember(id, body, actor)),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/people/:member_id',
      summary: 'Remove a member from a team',
      description:
        'Refused for a member with working keys or log tokens unless `keys` says what happens to them. The name stays for reports; the address is deleted.',
      query: removePersonQuerySchema,
      reply: personReplySchema,
      errors: ['member_not_found', 'conflict'],
      action: (query, actor, { member_id: id = '' }) => directory.removeMember(id, query, actor),
      describe,
    }),
  ]
}
