// Rations dry runs: they cost nothing and count against no limit of the team, but they take the server's time.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { RequestWindow } from '../../ledger/request-window.ts'

/** Of each team, in any 60 s. */
const dryRunsPerMinute = 120

/** Counts a dry run of the team. Throws ApiError `rpm_exceeded`. */
export type RationDryRuns = (teamId: string) => void

/** `clock`: Unix ms. */
export function createRationDryRuns(clock: () => number): RationDryRuns {
  const windows = new Map<string, RequestWindow>()
  return teamId => {
    const window = windows.get(teamId) ?? new RequestWindow()
    windows.set(teamId, window)
    const now = clock()
    const freeAt = window.nextFreeAt(dryRunsPerMinute, now) ?? now
    if (freeAt > now) throw refuse(Math.ceil((freeAt - now) / 1000))
    window.add(now)
  }
}

function refuse(seconds: number): ApiError {
  return new ApiError('rpm_exceeded', {
    message: `This team has made ${dryRunsPerMinute} dry runs in the last minute. Try again in ${seconds} s.`,
    headers: { 'retry-after': String(seconds) },
  })
}
