// Draws the numbers that blind judges know the teams by. The seed of judging is public, so a secret of this installation decides them.
import { createHmac } from 'node:crypto'
import type { Directory } from '../../directory/create-directory.ts'
import type { ReadState } from '../judging-log.ts'
import type { JudgingRecord } from '../judging-records.ts'
import { listJudged } from '../list-judged.ts'

export type TeamNumber = { readonly teamId: string; readonly number: number }

export type Draw = {
  /** See `deriveNumbersKey`. */
  readonly key: Uint8Array
  /** Numbers that were given before, by team id; none is ever changed. */
  readonly numbers: ReadonlyMap<string, number>
  /** All teams that need one. */
  readonly teams: readonly string[]
}

/** Numbers for the teams that have none: at the first draw 1 to N, later the next ones. Whoever knows the teams cannot guess their order. */
function drawNumbers({ key, numbers, teams }: Draw): readonly TeamNumber[] {
  const first = Math.max(0, ...numbers.values()) + 1
  return [...new Set(teams)]
    .filter(teamId => !numbers.has(teamId))
    .map(teamId => ({ teamId, lot: createHmac('sha256', key).update(teamId).digest('hex') }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .map(({ teamId }, place) => ({ teamId, number: first + place }))
}

type Numbering = { readonly numbersKey: Uint8Array; readonly directory: Pick<Directory, 'teams'> }

/** A record for the judged teams that have no number yet, or none. */
export function numberTeams({ numbersKey: key, directory }: Numbering, state: ReadState): JudgingRecord[] {
  const body = drawNumbers({ key, numbers: state.numbers(), teams: listJudged(directory) })
  return body.length === 0 ? [] : [{ kind: 'numbers', body }]
}
