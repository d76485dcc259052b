// The time in which judges write scores, as the set-up says.
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { refuseValue } from '../directory/refusals.ts'
import { parseInstant } from '../logbook/parse-instant.ts'

type Times = Pick<JudgingSetup, 'opens_at' | 'closes_at'>

/** Unix ms; null: open from the beginning, or without end. Throws ApiError `invalid_request` for a text that is no time. */
export function readWindow({ opens_at: opens, closes_at: closes }: Times): {
  readonly opensAt: number | null
  readonly closesAt: number | null
} {
  return { opensAt: readTime('setup.opens_at', opens), closesAt: readTime('setup.closes_at', closes) }
}

function readTime(param: string, text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null
  const instant = parseInstant(text)
  if (instant?.hasOffset === true) return instant.epochSeconds * 1000
  throw refuseValue(
    param,
    `"${text}" is not a date with a time and an offset, such as 2026-11-21T18:00:00+01:00.`,
  )
}
