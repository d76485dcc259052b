// After the first finished judgement the set-up may still change, but not what was scored.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'

/** Texts, times, sizes of the panel, tracks and tags may change. */
const scored: Readonly<Record<string, (setup: JudgingSetup) => unknown>> = {
  criteria: ({ criteria }) => sortById(criteria.map(({ id, weight, max }) => ({ id, weight, max }))),
  gates: ({ gates = [] }) => sortById(gates.map(({ id }) => ({ id }))),
  ranking: ({ ranking }) => ranking,
  ties: ({ ties }) => ties,
  calibration_team: ({ calibration_team: team }) => team ?? null,
  seed: ({ seed }) => seed,
}

/** Throws ApiError `conflict` that names the member. */
export function refuseScoredChange(before: JudgingSetup, after: JudgingSetup): void {
  const changed = Object.entries(scored).find(([, read]) => !Bun.deepEquals(read(before), read(after)))
  if (changed === undefined) return
  const [member] = changed
  throw new ApiError('conflict', {
    param: `setup.${member}`,
    message: `Judgements are finished already, so ${names[member] ?? member} can no longer change. Texts, times, tracks, tags and the size of the panel can.`,
  })
}

const names: Readonly<Record<string, string>> = {
  criteria: 'the criteria with their weights and maxima',
  gates: 'the gates',
  ranking: 'the ranking',
  ties: 'the steps for ties',
  calibration_team: 'the team for calibration',
  seed: 'the seed',
}

function sortById<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}
