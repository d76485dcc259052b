// What the check of the hash chains found, as a table for people and as the message of a failed check.
import type { LogVerification } from '@fairgate/contracts/management/log-verification.ts'
import { formatTable } from './format-table.ts'
import { absent } from './format-values.ts'

export function describeVerifications(checks: readonly LogVerification[]): string {
  if (checks.length === 0) return 'No boards: there are no teams yet.'
  return formatTable(
    ['TEAM', 'CHAIN', 'INTACT ENTRIES', 'HEAD', 'FIRST BAD SEQ'],
    checks.map(check => [
      check.team_id,
      check.ok ? 'ok' : 'BROKEN',
      String(check.entries),
      check.head?.chain.slice(0, 16) ?? absent,
      check.problem === null ? absent : `${check.problem.seq} (${check.problem.kind})`,
    ]),
  )
}

/** Null when every chain holds. */
export function describeBrokenChains(checks: readonly LogVerification[]): string | null {
  const broken = checks.filter(check => !check.ok)
  if (broken.length === 0) return null
  const places = broken.map(({ team_id, problem }) =>
    problem === null ? team_id : `${team_id} at seq ${problem.seq} (${problem.kind})`,
  )
  return `${broken.length} of ${checks.length} checked chains broken: ${places.join(', ')}.`
}
