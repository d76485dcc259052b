// What an act on a call changes: what the call costs, after all corrections.

import type { PlannedChange } from '@fairgate/contracts/management/planned-act.ts'
import type { ReactNode } from 'react'
import { formatExact } from '../format/money.ts'

/** Corrections want a reason for a dry run too; the one that is typed takes its place in the act. */
export const unsaid = { reason: 'Preview' }

export function describeCallChange({ from, to }: PlannedChange): ReactNode {
  return (
    <span data-effect>
      The call costs {formatExact(Number(from))} → <span className="strong">{formatExact(Number(to))}</span>.
    </span>
  )
}
