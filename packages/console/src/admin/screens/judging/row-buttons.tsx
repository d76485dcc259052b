// Buttons that move a row up or down, or remove it.
import { ActionIcon } from '@mantine/core'
import { ArrowDown, ArrowUp, Trash2 } from 'lucide-react'

export function RowButtons({
  name,
  isFirst,
  isLast,
  isLocked = false,
  isRemoveLocked = isLocked,
  onMove,
  onRemove,
}: {
  /** For screen readers, such as "Direction". */
  readonly name: string
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly isLocked?: boolean
  readonly isRemoveLocked?: boolean
  readonly onMove: (by: 1 | -1) => void
  /** The row cannot be removed if absent. */
  readonly onRemove?: () => void
}) {
  return (
    <span className="row nowrap row-buttons">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Move ${name} up`}
        disabled={isFirst || isLocked}
        onClick={() => onMove(-1)}
      >
        <ArrowUp size={15} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Move ${name} down`}
        disabled={isLast || isLocked}
        onClick={() => onMove(1)}
      >
        <ArrowDown size={15} aria-hidden />
      </ActionIcon>
      {onRemove === undefined ? null : (
        <RemoveRow name={name} isLocked={isRemoveLocked} onRemove={onRemove} />
      )}
    </span>
  )
}

export function RemoveRow({
  name,
  isLocked = false,
  onRemove,
}: {
  readonly name: string
  readonly isLocked?: boolean
  readonly onRemove: () => void
}) {
  return (
    <ActionIcon
      variant="subtle"
      color="red"
      aria-label={`Remove ${name}`}
      disabled={isLocked}
      onClick={onRemove}
    >
      <Trash2 size={15} aria-hidden />
    </ActionIcon>
  )
}
