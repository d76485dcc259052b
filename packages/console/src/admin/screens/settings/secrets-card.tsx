// Card for admin keys, webhooks and walls: a list with actions, a dialog that creates one, and its secret, shown once.

import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignName } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'

export type Making<Made> = { readonly onMade: (made: Made) => void; readonly onClose: () => void }

export function SecretsCard<Row, Made, Action>({
  title,
  note,
  verb,
  caption,
  path,
  none,
  columns,
  idOf,
  actions,
  NewDialog,
  secretOf,
  openAction,
}: {
  readonly title: string
  readonly note: string
  /** Label of the button that creates one. */
  readonly verb: string
  /** Names the items of the list. */
  readonly caption: string
  readonly path: string
  readonly none: ReactNode
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => string
  readonly actions: (row: Row, choose: (action: Action) => void) => ReactNode
  readonly NewDialog: (making: Making<Made>) => ReactNode
  readonly secretOf: (made: Made) => Omit<Parameters<typeof SecretOnce>[0], 'onClose'>
  /** Dialog for the chosen action. */
  readonly openAction: (action: Action, making: Making<Made>) => ReactNode
}) {
  const read = useRead(readOf<{ readonly items: readonly Row[] }>(path))
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<Made | null>(null)
  const [action, setAction] = useState<Action | null>(null)
  const onMade = (reply: Made) => {
    setMaking(false)
    setMade(reply)
  }
  return (
    <TableCard
      title={title}
      note={note}
      action={
        <IconButton icon={Plus} variant="filled" size="xs" onClick={() => setMaking(true)}>
          {verb}
        </IconButton>
      }
      read={read}
      rows={read.data?.items ?? []}
      what={`The list of ${caption.charAt(0).toLowerCase()}${caption.slice(1)}`}
      height={160}
      none={none}
      caption={caption}
      columns={columns}
      actions={row => actions(row, setAction)}
      idOf={idOf}
    >
      {isMaking ? <NewDialog onMade={onMade} onClose={() => setMaking(false)} /> : null}
      {made === null ? null : <SecretOnce {...secretOf(made)} onClose={() => setMade(null)} />}
      {action === null ? null : openAction(action, { onMade, onClose: () => setAction(null) })}
    </TableCard>
  )
}

export const madeColumn: Column<{ readonly created_at: string; readonly created_by: string }> = {
  id: 'made',
  head: 'Created',
  from: 768,
  cell: ({ created_at, created_by }) => (
    <span>
      <Moment at={created_at} /> by <ForeignName name={created_by} />
    </span>
  ),
}

export function RemoveDialog({
  title,
  path,
  undo,
  effect,
  onClose,
}: {
  readonly title: string
  readonly path: string
  readonly undo: string
  readonly effect: ReactNode
  readonly onClose: () => void
}) {
  return (
    <ActionDialog
      title={title}
      request={{ method: 'DELETE', path, body: {} }}
      verb="Remove"
      isDanger
      undo={undo}
      describe={() => effect}
      onClose={onClose}
    />
  )
}
