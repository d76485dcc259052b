// Decides when the team page reminds a team that it has not handed in, and with what words.
import type { SubmissionState } from '@fairgate/contracts/console/submissions.ts'
import { formatLeft } from '../format/time.ts'

export type Reminder = { readonly tone: 'info' | 'warn' | 'bad'; readonly text: string }

const minute = 60_000
/** Early enough to find out what is missing, then louder. */
const firstMs = 120 * minute
const warnMs = 30 * minute
const badMs = 10 * minute

/** Null for a team that has handed in, and while there is time. `now`: the server's clock, Unix ms. */
export function remindOfSubmission(
  { due_at, current, open }: Pick<SubmissionState, 'due_at' | 'current' | 'open'>,
  now: number,
): Reminder | null {
  if (current !== null || due_at === null) return null
  const left = Date.parse(due_at) - now
  if (left > firstMs) return null
  if (left > 0)
    return {
      tone: left <= badMs ? 'bad' : left <= warnMs ? 'warn' : 'info',
      text: `Your team has not handed in yet. ${formatLeft(left)} left.`,
    }
  return open
    ? {
        tone: 'bad',
        text: 'The deadline has passed and your team has not handed in. You still can, marked as late.',
      }
    : { tone: 'bad', text: 'Submissions are closed. Your team has not handed in.' }
}
