// The states of every list: loading, failed, empty for a reason, or rows.
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Card } from './card.tsx'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { Empty, Loaded, type Shown } from './states.tsx'

type ListProps<Row> = {
  readonly read: Shown<unknown>
  readonly rows: readonly Row[]
  /** For example "The list of calls". */
  readonly what: string
  readonly height?: number | undefined
  readonly lines?: number | undefined
  /** Why the list is empty. `next`: the next step. */
  readonly none: ReactNode
  readonly next?: ReactNode
  /** Set while a filter applies: the text if no row matches, and a function that clears the filter. */
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

/** A list as a table on its own card. `children` below it are its dialogs. */
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
