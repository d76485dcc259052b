// Actions for the selected teams, in a bar that floats over the bottom of the list.

import { Button } from '@mantine/core'
import { Ban, DollarSign, Lock, LockOpen, SlidersHorizontal } from 'lucide-react'
import { countOf, formatCount } from '../../../format/number.ts'
import { IconButton } from '../../../show/icon-button.tsx'
import type { TeamAction } from '../team/team-actions.tsx'

export function SelectionBar({
  count,
  all,
  onAction,
  onClear,
  locked,
  blocked,
}: {
  readonly count: number
  /** Set if the selection is every team, or every team that matches the filter; null if neither. */
  readonly all: 'all' | 'matching' | null
  readonly onAction: (action: TeamAction) => void
  readonly onClear: () => void
  /** True if all selected teams are in this state already; then the opposite action is offered. */
  readonly locked: boolean
  readonly blocked: boolean
}) {
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selected teams">
      <span className="strong nowrap" aria-live="polite">
        {all === null || count === 1
          ? `${formatCount(count)} selected`
          : `All ${countOf(count, 'team')}${all === 'matching' ? ' that match' : ''}`}
      </span>
      <IconButton icon={DollarSign} size="xs" onClick={() => onAction('grant')}>
        Grant…
      </IconButton>
      <IconButton icon={SlidersHorizontal} size="xs" onClick={() => onAction('limits')}>
        Limits…
      </IconButton>
      <IconButton
        icon={locked ? LockOpen : Lock}
        size="xs"
        onClick={() => onAction(locked ? 'unlock' : 'lock')}
      >
        {locked ? 'Unlock board' : 'Lock board'}
      </IconButton>
      <IconButton
        icon={Ban}
        size="xs"
        variant={blocked ? 'default' : 'outline'}
        color="red"
        onClick={() => onAction(blocked ? 'unblock' : 'block')}
      >
        {blocked ? 'Unblock' : 'Block'}
      </IconButton>
      <Button size="xs" variant="subtle" color="gray" onClick={onClear}>
        Clear <kbd className="faint">Esc</kbd>
      </Button>
    </div>
  )
}
