// Describes how an action changes the cost of a call, after all corrections.

import type { PlannedChange } from '@fairgate/contracts/management/planned-action.ts'
import type { ReactNode } from 'react'
import { formatExact } from '../format/money.ts'

/** Corrections need a reason even for a dry run. The action itself sends the reason that was typed. */
export const unsaid = { reason: 'Preview' }

export function describeCallChange({ from, to }: PlannedChange): ReactNode {
  return (
    <span data-effect>
      The call costs {formatExact(Number(from))} → <span className="strong">{formatExact(Number(to))}</span>.
    </span>
  )
}
