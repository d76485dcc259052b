// Routes that show organisers and the head judge what the judges have written: /judging/progress, /judging/judgements, /judging/papers and
// /judging/verify.
import {
  judgementListSchema,
  judgementRowReplySchema,
  judgingVerificationSchema,
  paperBodySchema,
  progressReplySchema,
} from '@fairgate/contracts/judging/scores.ts'
import { describeProgress, describeRow, listJudgements } from '../../judging/describe-progress.ts'
import { verifyJudging } from '../../judging/verify-judging.ts'
import { type AdminRoute, changeRoute, lookupRoute, type Management } from '../management-route.ts'

const facts = { tag: 'Judging', openTo: 'head_judges' } as const

export function progressRoutes({ judging, directory, read, moment }: Management): AdminRoute[] {
  const { log, panel, scoring } = judging
  const asOf = () => ({ as_of: moment().as_of })
  const nameOf = (teamId: string) => directory.findTeam(teamId)?.alias ?? teamId
  return [
    lookupRoute({
      ...facts,
      path: '/judging/progress',
      summary: 'See how far the judges and the teams are',
      reply: progressReplySchema,
      errors: ['unavailable'],
      look: async () => {
        const [state, drafts] = await Promise.all([log.state(), read.listDraftHeads({ judgeId: null })])
        return { ...describeProgress(state, drafts, { teams: panel.listTeams(), nameOf }), ...asOf() }
      },
    }),
    lookupRoute({
      ...facts,
      path: '/judging/judgements',
      summary: 'List the judgements of all assigned teams',
      description: 'What is not finished has no scores here.',
      reply: judgementListSchema,
      errors: ['unavailable'],
      look: async () => ({ items: listJudgements(await log.state(), nameOf), ...asOf() }),
    }),
    changeRoute({
      ...facts,
      openTo: 'head_judge',
      path: '/judging/papers',
      summary: 'Enter a judgement from paper',
      description: 'It is finished at once, and marked. The time for scores does not matter here.',
      body: paperBodySchema,
      reply: judgementRowReplySchema,
      errors: ['judge_not_found', 'team_not_found', 'conflict'],
      change: async (body, actor) => {
        await scoring.enterPaper(body, actor)
        const pair = { judgeId: body.judge_id, teamId: body.team_id }
        return { ...describeRow(await log.state(), pair, nameOf), ...asOf() }
      },
    }),
    lookupRoute({
      ...facts,
      openTo: 'everyone',
      path: '/judging/verify',
      summary: 'Check that the record of judging is as it was written',
      description: 'Recomputes the commitment of each record, and looks for numbers that are missing.',
      reply: judgingVerificationSchema,
      errors: ['unavailable'],
      keepsOpen: true,
      look: () => verifyJudging(read),
    }),
  ]
}
