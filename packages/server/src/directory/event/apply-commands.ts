// Makes the directory match an event file, in one audited change: all of it or nothing.
import type {
  ApplyBody,
  ApplyReply,
  EventFile,
  EventFileJudging,
} from '@fairgate/contracts/management/event-file.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import type { AppendJudgingInput } from '../../store/statements/judging-records.ts'
import { type Announcement, auditAnnouncement, toAnnouncementRow } from '../announcements.ts'
import { buildNewKey, type KeyChange } from '../apply-fields.ts'
import { type Acting, auditKey, auditMember, auditTeam } from '../audit.ts'
import type { CommandDependencies } from '../commands.ts'
import { createSecret } from '../create-secret.ts'
import { isDemoTeam } from '../demo-team.ts'
import { nameKeyOf, toKeyRow, toMemberRow, toTeamRow } from '../directory-rows.ts'
import { buildNewMember } from '../member-commands.ts'
import { type ActionResult, carryOut } from '../planned-action.ts'
import { isHidden, type Member } from '../types.ts'
import { boardLocksOf } from './event.ts'
import { auditEvent, writeEventDocument } from './event-record.ts'
import { type ApplyPlan, type ApplyState, planApply } from './plan-apply.ts'
import { readEventFile } from './read-event-file.ts'
import { writeEventFile } from './write-event-file.ts'

/** Compares the judging of a file with its state. Throws ApiError that names the member. */
export type PlanJudging = (
  /** Of the file, or there already. */
  hasTeam: (teamId: string) => boolean,
  acting: Acting,
) => {
  readonly changes: readonly PlannedChange[]
  readonly warnings: readonly string[]
  /** Written with the rest of the file, or nothing is. */
  readonly append: AppendJudgingInput | null
}

/** Judging is kept outside of the directory, in a record of its own. */
export type JudgingOfFile = {
  /** Reads the newest state. */
  readonly openPlan: (file: EventFileJudging) => Promise<PlanJudging>
}

const withoutJudging: JudgingOfFile = {
  openPlan: async () => {
    throw new Error('This caller cannot apply the judging of a file.')
  },
}

/** Keys created by an apply, with their secrets, which are not stored. */
export type AppliedSecrets = ApplyReply['secrets']

export function createApplyCommands(dependencies: CommandDependencies) {
  const { memory, write, run, clock, newId, randomBytes, resolveModel, defaultMaxParallelRequests } =
    dependencies
  /** The demo team and hidden teams are not part of the event unless the file has a team with their id. */
  const readState = (named: EventFile['teams'] = []): ApplyState => ({
    event: memory.event(),
    teams: memory
      .everyTeam()
      .filter(team => (!isDemoTeam(team) && !isHidden(team)) || named.some(({ id }) => id === team.teamId)),
    membersOfTeam: memory.membersOfTeam,
    keysOfTeam: memory.keysOfTeam,
    announcements: memory.announcements(),
  })

  const plan = async (body: ApplyBody, actor: string, now: number, judging: JudgingOfFile) => {
    const { file, withLines } = readEventFile(body.file, body.files ?? {})
    const planJudging = file.judging === undefined ? null : await judging.openPlan(file.judging)
    const state = readState(file.teams)
    const change: KeyChange = { resolveModel, now, actor, defaultMaxParallelRequests }
    const planned = withLines(() => planApply(file, state, change, body.prune === true))
    const added = new Set(planned.newTeams.map(({ teamId }) => teamId))
    const hasTeam = (teamId: string) => memory.findTeam(teamId) !== undefined || added.has(teamId)
    const acting = { now, actor, reason: body.reason }
    const judged = planJudging === null ? null : withLines(() => planJudging(hasTeam, acting))
    // One version per row: the event, and every team and member that changes.
    const rows = [
      state.event,
      ...planned.changedTeams.map(({ before }) => before),
      ...planned.changedMembers.map(({ before }) => before),
      ...planned.changedKeys.map(({ before }) => before),
      ...planned.changedNotices.map(({ before }) => before),
    ]
    const changes = [...planned.changes, ...(judged?.changes ?? [])]
    const warnings = [...planned.warnings, ...(judged?.warnings ?? [])]
    const basis = rows.map(row => memory.versionOf(row))
    const append = judged?.append ?? null
    return { change, before: state.event, planned, append, plan: { changes, warnings, basis } }
  }

  const buildRows = (planned: ApplyPlan, before: ApplyState['event'], change: KeyChange, body: ApplyBody) => {
    const { now, actor } = change
    const acting = { now, actor, reason: body.reason }
    const isEventChanged = planned.changes.some(({ what }) => /^(?:event|phase)(?:\.|$)/.test(what))
    const newMembers = planned.newMembers.map(member =>
      buildNewMember({ memberId: `mb_${newId()}`, ...member, now, actor }),
    )
    const changedMembers = planned.changedMembers.map(
      ({ before: member, email }): { readonly before: Member; readonly after: Member } => ({
        before: member,
        after: { ...member, email, updatedAt: now, updatedBy: actor },
      }),
    )
    const findMember = (teamId: string, name: string) =>
      [...newMembers, ...memory.membersOfTeam(teamId)].find(
        member => member.teamId === teamId && nameKeyOf(member.name) === nameKeyOf(name),
      )
    const newKeys = planned.newKeys.map(({ teamId, member, fields }) => {
      const { secret, hash: keyHash, name: keyName } = createSecret('sk-', randomBytes)
      const owner = { member_id: findMember(teamId, member)?.memberId ?? null }
      const key = buildNewKey({ keyHash, keyName, teamId }, { ...fields, ...owner }, change)
      return { key, shown: { team_id: teamId, member, alias: key.alias, key: secret } }
    })
    const newNotices = planned.newNotices.map(
      (notice): Announcement => ({
        ...notice,
        announcementId: `an_${newId()}`,
        removedAt: null,
        createdAt: now,
        createdBy: actor,
      }),
    )
    const teams = [...memory.everyTeam(), ...planned.newTeams]
    const auditNotice = auditAnnouncement(teams, now)
    const event = {
      document: writeEventDocument(planned.event),
      boardLocks: boardLocksOf(planned.event),
      seen: memory.versionOf(before),
    }
    return {
      newMembers,
      changedMembers,
      keys: [...newKeys.map(({ key }) => key), ...planned.changedKeys.map(({ after }) => after)],
      secrets: newKeys.map(({ shown }) => shown),
      notices: [...newNotices, ...planned.changedNotices.map(({ after }) => after)],
      isEventChanged,
      input: {
        seen: memory.version(),
        event: isEventChanged ? event : null,
        newTeams: planned.newTeams.map(toTeamRow),
        changedTeams: planned.changedTeams.map(({ after }) => toTeamRow(after)),
        newMembers: newMembers.map(toMemberRow),
        changedMembers: changedMembers.map(({ after }) => toMemberRow(after)),
        newKeys: newKeys.map(({ key }) => toKeyRow(key)),
        changedKeys: planned.changedKeys.map(({ after }) => toKeyRow(after)),
        newAnnouncements: newNotices.map(toAnnouncementRow),
        changedAnnouncements: planned.changedNotices.map(({ after }) => toAnnouncementRow(after)),
        audit: [
          ...(isEventChanged ? [auditEvent(acting, 'event.apply', before, planned.event)] : []),
          ...planned.newTeams.map(team => auditTeam(acting, 'team.new', null, team)),
          ...planned.changedTeams.map(({ before: old, after }) =>
            auditTeam(acting, 'team.update', old, after),
          ),
          ...newMembers.map(member => auditMember(acting, 'member.add', null, member)),
          ...changedMembers.map(({ before: old, after }) => auditMember(acting, 'member.update', old, after)),
          ...newKeys.map(({ key }) => auditKey(acting, 'key.generate', null, key)),
          ...planned.changedKeys.map(({ before: old, after }) => auditKey(acting, 'key.update', old, after)),
          ...newNotices.map(notice => auditNotice(acting, 'announcement.new', null, notice)),
          ...planned.changedNotices.map(({ before: old, after }) => {
            const action = after.removedAt === null ? 'announcement.update' : 'announcement.remove'
            return auditNotice(acting, action, old, after)
          }),
        ],
      },
    }
  }

  return {
    /** Throws ApiError `invalid_request` that names line and member, `preview_outdated` and `conflict` (409). */
    applyEventFile: (
      body: ApplyBody,
      actor: string,
      judging = withoutJudging,
    ): Promise<ActionResult<AppliedSecrets>> =>
      carryOut({ run, clock }, body, {
        plan: now => plan(body, actor, now, judging),
        make: async ({ change, before, planned, append, plan: { changes } }) => {
          if (changes.length === 0) return { version: memory.version(), result: [] }
          const { input, newMembers, changedMembers, keys, secrets, notices, isEventChanged } = buildRows(
            planned,
            before,
            change,
            body,
          )
          const version = await write.applyEventChanges({ ...input, judging: append })
          const changed = {
            ...(isEventChanged ? { event: planned.event } : {}),
            teams: [...planned.newTeams, ...planned.changedTeams.map(({ after }) => after)],
            members: [...newMembers, ...changedMembers.map(({ after }) => after)],
            keys,
            announcements: notices,
          }
          return memory.commit(version, changed, secrets)
        },
      }),
    /** Writes an event file that would recreate the current state. `judging`: null for none. */
    exportEventFile: (judging: EventFileJudging | null = null): string =>
      writeEventFile(readState(), judging, clock(), defaultMaxParallelRequests),
  }
}
