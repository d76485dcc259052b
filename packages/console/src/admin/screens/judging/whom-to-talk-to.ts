// Decides which judges need a word, and in which order.
import type { ProgressReply } from '@fairgate/contracts/judging/scores.ts'

export type JudgeProgress = ProgressReply['judges'][number]
export type Talk = {
  readonly judge: JudgeProgress
  readonly kind: 'not signed in' | 'not begun' | 'idle' | 'not ordered'
  /** Teams that are neither done nor given up. */
  readonly left: number
}

/** A team takes ten minutes or so, and scores are saved at each pause: after half an hour something has come between. */
export const idleMs = 30 * 60_000

const ranks: readonly Talk['kind'][] = ['not signed in', 'not begun', 'idle', 'not ordered']

/** Those who have not begun first, then those with most teams left. `now`: Unix ms. */
export function listTalks(judges: readonly JudgeProgress[], now: number): Talk[] {
  return judges
    .flatMap(judge => {
      const kind = judge.absent || judge.assigned === 0 ? null : findKind(judge, now)
      return kind === null ? [] : [{ judge, kind, left: countLeft(judge) }]
    })
    .toSorted(
      (one, other) =>
        ranks.indexOf(one.kind) - ranks.indexOf(other.kind) ||
        other.left - one.left ||
        one.judge.name.localeCompare(other.judge.name, 'en'),
    )
}

function findKind(judge: JudgeProgress, now: number): Talk['kind'] | null {
  const { begun, done, unable, seen_at, last_at, ordered } = judge
  if (countLeft(judge) === 0) return ordered || done < 2 ? null : 'not ordered'
  if (begun + done + unable === 0) return seen_at === null ? 'not signed in' : 'not begun'
  const last = last_at ?? seen_at
  return last !== null && now - Date.parse(last) >= idleMs ? 'idle' : null
}

export function countLeft({ assigned, done, unable }: JudgeProgress): number {
  return Math.max(0, assigned - done - unable)
}
