// Routes for judging before the first score: /judging/setup, /judging/plan, /judging/judges, /judging/codes, /judging/conflicts,
// /judging/deal and /judging/assignments.
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import {
  judgeCodesReplySchema,
  newJudgeCodesBodySchema,
  revokeJudgeCodeQuerySchema,
} from '@fairgate/contracts/judging/codes.ts'
import {
  type AssignmentList,
  assignmentListSchema,
  changeJudgeBodySchema,
  conflictBodySchema,
  dealBodySchema,
  type JudgeItem,
  judgeListSchema,
  judgeReplySchema,
  newJudgesBodySchema,
} from '@fairgate/contracts/judging/panel.ts'
import {
  planQuerySchema,
  planReplySchema,
  putSetupBodySchema,
  type SetupReply,
  setupReplySchema,
} from '@fairgate/contracts/judging/setup.ts'
import { assignTeams, listAssigned } from '../judging/assigned-teams.ts'
import { describePlan } from '../judging/describe-plan.ts'
import { describeLink } from '../judging/judge-links.ts'
import type { ReadState } from '../judging/judging-log.ts'
import { groupCode } from '../people/claim-code.ts'
import {
  type AdminRoute,
  actionRoute,
  changeRoute,
  lookupRoute,
  type Management,
} from './management-route.ts'

const facts = { tag: 'Judging', openTo: 'head_judges' } as const

export function judgingRoutes({
  judging: { log, panel, links },
  judgingUrl,
  clock,
  moment,
}: Management): AdminRoute[] {
  const readJudges = async () => ({ items: listJudges(await log.state(), clock()), as_of: moment().as_of })
  const readJudge = async (judgeId: string) => {
    const { items, ...rest } = await readJudges()
    const found = items.find(({ judge_id }) => judge_id === judgeId)
    if (found === undefined) throw new Error('A judge that was just changed is missing.')
    return { ...found, ...rest }
  }
  const readSetup = async (): Promise<SetupReply> => {
    const setup = (await log.state()).setup()
    return {
      setup: setup?.value ?? null,
      version: setup?.version ?? 0,
      changed_at: setup === null ? null : isoTime(setup.at),
      changed_by: setup?.actor ?? null,
      as_of: moment().as_of,
    }
  }
  return [
    lookupRoute({
      ...facts,
      openTo: 'judges',
      path: '/judging/setup',
      summary: 'Read the set-up of judging',
      reply: setupReplySchema,
      errors: ['unavailable'],
      look: readSetup,
    }),
    changeRoute({
      ...facts,
      method: 'PUT',
      path: '/judging/setup',
      summary: 'Write the set-up of judging',
      description: 'The whole set-up. Earlier versions stay on record. Teams are not dealt again by this.',
      body: putSetupBodySchema,
      reply: setupReplySchema,
      errors: ['conflict'],
      change: async (body, actor) => {
        await panel.putSetup(body, actor)
        return await readSetup()
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/plan',
      summary: "Calculate what the judges' time is enough for",
      description: 'With the current set-up, teams and judges, or with figures to try.',
      query: planQuerySchema,
      isStrict: true,
      reply: planReplySchema,
      errors: ['invalid_request', 'unavailable'],
      look: async query => {
        const plan = await panel.plan(query)
        return {
          teams: plan.teams,
          judges: plan.judges,
          judges_per_team: plan.judgesPerTeam,
          places: plan.places,
          full_coverage: plan.isFull,
          judgements_per_team: plan.judgementsPerTeam,
          enough: plan.isEnough,
          minutes_needed: plan.minutesNeeded,
          judges_needed: plan.judgesNeeded,
          sentences: describePlan(plan),
          as_of: moment().as_of,
        }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/judges',
      summary: 'List the judges with their teams and conflicts',
      reply: judgeListSchema,
      errors: ['unavailable'],
      look: readJudges,
    }),
    actionRoute(moment, {
      ...facts,
      path: '/judging/judges',
      summary: 'Add judges, or change those of the same name',
      description: 'Nothing is sent to them. A judge who was added later gets teams with the next deal.',
      body: newJudgesBodySchema,
      reply: judgeListSchema,
      errors: ['conflict'],
      action: (body, actor) => panel.importJudges(body, actor),
      describe: readJudges,
    }),
    changeRoute({
      ...facts,
      path: '/judging/judges/:judge_id',
      summary: 'Change a judge',
      body: changeJudgeBodySchema,
      reply: judgeReplySchema,
      errors: ['judge_not_found', 'conflict'],
      change: async (body, actor, { judge_id: id = '' }) => {
        await panel.changeJudge(id, body, actor)
        return await readJudge(id)
      },
    }),
    actionRoute(moment, {
      ...facts,
      path: '/judging/codes',
      summary: 'Create claim links for judges',
      description:
        'A judge signs in with it at /judging, on any number of devices. The reply shows the codes, only this once.',
      body: newJudgeCodesBodySchema,
      reply: judgeCodesReplySchema,
      errors: ['judge_not_found', 'conflict'],
      action: (body, actor) => links.create(body, actor),
      describe: made => ({
        items: made.map(({ judge, code, expiresAt }) => ({
          judge_id: judge.judgeId,
          name: judge.name,
          code: groupCode(code),
          url: `${judgingUrl()}/judging#code=${groupCode(code)}`,
          expires_at: isoTime(expiresAt),
        })),
        as_of: moment().as_of,
      }),
    }),
    actionRoute(moment, {
      ...facts,
      path: '/judging/codes/:judge_id',
      summary: "Revoke a judge's claim link, and end its sessions",
      query: revokeJudgeCodeQuerySchema,
      reply: judgeReplySchema,
      errors: ['judge_not_found', 'conflict'],
      action: (query, actor, { judge_id: id = '' }) => links.revoke(id, query, actor),
      describe: (_made, _query, { judge_id: id = '' }) => readJudge(id),
    }),
    changeRoute({
      ...facts,
      path: '/judging/conflicts',
      summary: 'Declare that a judge must not judge a team',
      description: 'If the judge already has the team, another judge gets it, and nothing else moves.',
      body: conflictBodySchema,
      reply: judgeReplySchema,
      errors: ['team_not_found', 'judge_not_found', 'conflict'],
      change: async (body, actor) => {
        await panel.declareConflict(body, actor)
        return await readJudge(body.judge_id)
      },
    }),
    actionRoute(moment, {
      ...facts,
      path: '/judging/deal',
      summary: 'Deal the teams to the judges, or those of an absent judge to others',
      description:
        'Loads are as even as possible, conflicts are left out, and no two judges are always together. It follows from the seed, so the same input gives the same deal.',
      body: dealBodySchema,
      reply: judgeListSchema,
      errors: ['judge_not_found', 'conflict'],
      action: (body, actor) => panel.deal(body, actor),
      describe: readJudges,
    }),
    lookupRoute({
      ...facts,
      path: '/judging/assignments',
      summary: 'List the teams with their judges',
      reply: assignmentListSchema,
      errors: ['unavailable'],
      look: async () => ({
        items: listAssignments(await log.state(), panel.listTeams()),
        as_of: moment().as_of,
      }),
    }),
  ]
}

function listJudges(state: ReadState, now: number): JudgeItem[] {
  const teamsOf = assignTeams(state)
  const conflicts = Map.groupBy(state.conflicts(), ({ judgeId }) => judgeId)
  return state
    .judges()
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
    .map(({ judgeId, name, email, tags, tracks, minutes, isAbsent }) => ({
      judge_id: judgeId,
      name,
      email,
      tags: [...tags],
      tracks: [...tracks],
      minutes,
      absent: isAbsent,
      teams: [...(teamsOf.get(judgeId) ?? [])],
      link: describeLink(state.findLink(judgeId), now),
      conflicts: (conflicts.get(judgeId) ?? []).map(({ teamId, reason, actor, at }) => ({
        team_id: teamId,
        reason,
        declared_by: actor,
        at: isoTime(at),
      })),
    }))
}

function listAssignments(state: ReadState, teams: readonly string[]): AssignmentList['items'] {
  const wanted = state.setup()?.value.judges_per_team ?? 0
  const byTeam = Map.groupBy(listAssigned(state), ({ teamId }) => teamId)
  return teams.toSorted().map(teamId => {
    const own = byTeam.get(teamId) ?? []
    const able = own.filter(pair => state.findProgress(pair)?.state !== 'unable')
    const judges = own.flatMap(({ judgeId }) => state.findJudge(judgeId) ?? [])
    return {
      team_id: teamId,
      judges: judges.map(({ judgeId, name }) => ({ judge_id: judgeId, name })),
      short: Math.max(0, wanted - able.length),
    }
  })
}
