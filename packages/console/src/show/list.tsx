// What every list does: it loads, fails, is empty for a reason, or shows its rows.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from './card.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { Empty, Loaded, type Shown } from './states.tsx'

type ListProps<Row> = {
  readonly read: Shown<unknown>
  readonly rows: readonly Row[]
  /** Such as "The list of calls". */
  readonly what: string
  readonly height?: number | undefined
  readonly lines?: number | undefined
  /** Why there is nothing, and the next step. */
  readonly none: ReactNode
  readonly next?: ReactNode
  /** Set while the address narrows the list: what is said then where nothing is left, and the way back. */
  readonly filter?: { readonly none: ReactNode; readonly clear: () => void } | null
}

export function List<Row>({
  read,
  rows,
  what,
  height,
  lines,
  none,
  next,
  filter = null,
  children,
}: ListProps<Row> & { readonly children: () => ReactNode }) {
  return (
    <Loaded read={read} what={what} height={height} lines={lines}>
      {() =>
        rows.length > 0 ? (
          children()
        ) : filter === null ? (
          <Empty action={next}>{none}</Empty>
        ) : (
          <Empty
            action={
              <Button variant="default" onClick={filter.clear}>
                Clear the filter
              </Button>
            }
          >
            {filter.none}
          </Empty>
        )
      }
    </Loaded>
  )
}

/** A list as a table on a card of its own; `children` stand below it, and are its dialogs. */
export function TableCard<Row>({
  title,
  note,
  action,
  children,
  ...list
}: ListProps<Row> &
  DataTableProps<Row> & {
    readonly title?: ReactNode
    readonly note?: ReactNode
    readonly action?: ReactNode
    readonly children?: ReactNode
  }) {
  return (
    <Card isFlush title={title} note={note} action={action}>
      <List {...list}>{() => <DataTable {...list} />}</List>
      {children}
    </Card>
  )
}
