// Reads the dossier of a team for a judge: what it handed in, how it worked, and the sessions most worth reading.
import type { SubmissionVersion } from '@fairgate/contracts/console/submissions.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { DossierReply } from '@fairgate/contracts/judging/reading.ts'
import { maximumReportPage } from '@fairgate/contracts/spend/spend-report.ts'
import { describeWork } from '../../insight/describe-dossier.ts'
import { createPeopleOfTeam } from '../../insight/people-of-team.ts'
import { assignTeams } from '../../judging/assigned-teams.ts'
import type { Disguise } from '../../judging/disguise.ts'
import { listJudged } from '../../judging/list-judged.ts'
import { describeDraw, pickSessions } from '../../judging/pick-sessions.ts'
import { everyCall } from '../../record/coverage-reader.ts'
import { traceSessions } from '../../record/digest-sessions.ts'
import type { Management } from '../management-route.ts'
import { namePeople, writeJudgedSession } from './judged-sessions.ts'

export type DossierAround = {
  readonly disguise: Disguise
  readonly judgeId: string
  readonly teamId: string
  /** The team as this judge knows it. */
  readonly team: string
}

/** Rejects with StoreUnavailable. */
export async function readDossier(
  { coverage, directory, judging, recent, spend, submissions }: Management,
  { disguise, judgeId, teamId, team }: DossierAround,
): Promise<DossierReply> {
  const [found, submission, models, state] = await Promise.all([
    // Judges open it again and again, and logs rarely grow by then.
    coverage.readRecent(teamId, everyCall),
    submissions.readNewest(teamId),
    spend.reports.report({ team_id: teamId, by: 'model', limit: maximumReportPage }),
    judging.log.state(),
  ])
  const book = await coverage.readBook(teamId)
  const sessions = traceSessions(found, book, everyCall).map(session => ({ ...session, teamId }))
  const people = createPeopleOfTeam(teamId, directory)
  const others = listJudged(directory).filter(other => other !== teamId)
  recent.coverage.want([teamId, ...others])
  const kept = others.map(other => recent.coverage.sessionsOf(other))
  const compared = [...sessions, ...kept.flatMap(known => known?.sessions ?? [])]
  const setup = state.setup()?.value
  const seed = setup?.seed ?? ''
  const pair = { teamId, judgeId }
  return {
    team,
    name: disguise.nameOf(teamId),
    blind: disguise.isBlind,
    assigned: assignTeams(state).get(judgeId)?.includes(teamId) === true,
    state: state.findProgress(pair)?.state ?? 'to_read',
    calibration: setup?.calibration_team === teamId,
    submission: submission === null ? null : writeSubmission(submission, teamId, disguise),
    ...describeWork({ teamId, disguise, coverage: found, sessions, people, commits: book.commits }),
    models: models.items
      .filter(({ calls }) => calls > 0)
      .map(({ model, calls, cost_nano }) => ({ model: model ?? 'unknown', calls, cost_nano })),
    picks: pickSessions({ seed, teamId, sessions, compared }).map(({ session, why, sentence }) => ({
      session: writeJudgedSession(session, team, namePeople(session, people, disguise), disguise),
      why,
      sentence,
    })),
    draw: describeDraw(seed),
    compared: { sessions: compared.length, pending: kept.filter(known => known === null).length },
    as_of: isoTime(found.asOf),
  }
}

/** Its links and files show who the team is. */
function writeSubmission(
  submission: SubmissionVersion,
  teamId: string,
  { isBlind: isHidden, cover }: Disguise,
): DossierReply['submission'] {
  const { title, summary, disclosure, late, handed_in_at, version, files } = submission
  const { repository, commit, demo_url, video_url } = submission
  const links = { repository, commit, demo_url, video_url }
  return {
    ...cover(teamId, { title, summary, disclosure }),
    ...{ late, handed_in_at, version },
    ...(isHidden ? { repository: null, commit: null, demo_url: null, video_url: null } : links),
    files: isHidden
      ? []
      : files.map(({ file_id, filename, mime_type, bytes }) => ({ file_id, filename, mime_type, bytes })),
    hidden: isHidden,
  }
}
