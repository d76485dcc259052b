// Lists the conditions that need an organiser now, including snoozed ones.
import type { ConditionRecord } from '@fairgate/contracts/console/attention.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { Store } from '../../store/store.ts'
import type { World } from '../../world/world.ts'
import type { Attention } from './attention.ts'

export type ConditionSources = Pick<World, 'clock'> & {
  readonly attention: Pick<Attention, 'conditions'>
  readonly read: Pick<Store['read'], 'listSnoozes'>
}

/** Worst first; snoozed ones come last. */
export async function listConditions({
  attention,
  read,
  clock,
}: ConditionSources): Promise<ConditionRecord[]> {
  const [conditions, snoozes] = await Promise.all([
    attention.conditions(),
    // Conditions are all the more important while the database does not answer.
    read.listSnoozes({ now: clock() }).catch(() => []),
  ])
  const snoozeOf = new Map(snoozes.map(snooze => [snooze.conditionId, snooze]))
  const records = conditions.map(({ id, since, subjects, ...condition }): ConditionRecord => {
    const snooze = snoozeOf.get(id)
    return {
      ...condition,
      condition_id: id,
      subjects: subjects.map(subject => ({ ...subject })),
      since: isoTime(since),
      snoozed:
        snooze === undefined
          ? null
          : { until: isoTime(snooze.until), actor: snooze.actor, reason: snooze.reason },
    }
  })
  return [
    ...records.filter(({ snoozed }) => snoozed === null),
    ...records.filter(({ snoozed }) => snoozed !== null),
  ]
}
