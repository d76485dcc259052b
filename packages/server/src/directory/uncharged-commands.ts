// Clears the record of a team's calls that used more than their holds: such calls get normal holds again, and organisers are no longer warned.
import type { ClearUnchargedBody } from '@fairgate/contracts/management/uncharged.ts'
import { oneInMillionths, type UnchargedSum } from '../ledger/hold-ratio.ts'
import { toAuditRow } from './audit.ts'
import type { CommandDependencies } from './commands.ts'
import { type ActionResult, carryOut, planChange } from './planned-action.ts'
import { requireTeam } from './refusals.ts'

/** `actor` made the change, for the audit. Throws ApiError `team_not_found`, `preview_outdated`. */
export function createUnchargedCommands({ memory, write, run, clock }: CommandDependencies) {
  return {
    /** The sums stay on record. Returns how many kinds of calls were cleared. */
    clearUncharged: (
      teamId: string,
      body: ClearUnchargedBody,
      actor: string,
    ): Promise<ActionResult<readonly UnchargedSum[]>> =>
      carryOut({ run, clock }, body, {
        plan: () => {
          requireTeam(memory, teamId)
          const all = memory.unchargedOf(teamId)
          const sums = all.filter(({ open, ratio }) => open > 0 || ratio > oneInMillionths)
          const changes = sums.flatMap(({ modelId, endpoint, medium, open, ratio }) => {
            const subject = `${modelId} ${endpoint} ${medium}`
            return [
              ...planChange('uncharged.hold_ratio', subject, ratio / oneInMillionths, 1),
              ...planChange('uncharged.open_nano', subject, open, 0),
            ]
          })
          const seen = Math.max(0, ...all.map(({ version }) => version))
          return { plan: { changes, basis: [seen] }, sums, seen }
        },
        make: async ({ sums, seen }, now) => {
          const before = sums.map(({ teamId: _, version, ...sum }) => sum)
          const states = { before: { uncharged: before }, after: { uncharged: [] } }
          const audited = { action: 'team.clear_uncharged', teamId, target: teamId, ...states }
          const audit = toAuditRow({ now, actor, reason: body.reason }, audited)
          const version = await write.clearUncharged({ teamId, seen, audit })
          if (version === null) return null
          const uncharged = memory
            .unchargedOf(teamId)
            .map(sum => ({ ...sum, open: 0, ratio: oneInMillionths, version }))
          return memory.commit(version, { uncharged }, sums)
        },
      }),
  }
}
