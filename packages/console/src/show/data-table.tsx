// A table of many rows: sorted by the server, with keyboard navigation, and windowed from 200 rows on.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react'
import type { MorePages } from '../api/more-pages.ts'
import { useHotkeys } from '../frame/hotkeys.tsx'
import { PartError } from './states.tsx'

export type Column<Row> = {
  readonly id: string
  readonly head: ReactNode
  readonly cell: (row: Row) => ReactNode
  readonly isEnd?: boolean
  /** The server's name for the sort order; not sortable if absent. */
  readonly sort?: string
  /** The order after the first click on the head. */
  readonly firstOrder?: Sorting['order']
  /** Dropped on screens below this width, in pixels. */
  readonly from?: 600 | 768 | 1024 | 1280 | 1440
  readonly width?: string
}

export type Sorting = { readonly sort: string; readonly order: 'asc' | 'desc' }

export type DataTableProps<Row> = {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly idOf: (row: Row) => string
  /** A row's actions, shown in a last column. */
  readonly actions?: (row: Row) => ReactNode
  readonly open?: (row: Row) => void
  /** The row with its details open. */
  readonly openId?: string | null
  readonly sorting?: Sorting
  readonly onSort?: (sorting: Sorting) => void
  readonly selection?: {
    readonly ids: ReadonlySet<string>
    readonly toggle: (id: string, isRange: boolean) => void
    /** True if all rows are selected, loaded or not. */
    readonly isAll: boolean
    readonly toggleAll: () => void
  }
  /** The number of all rows, if more can be loaded. */
  readonly total?: number | undefined
  /** The next page, loaded near the last row. */
  readonly more?: MorePages | undefined
  /** Never windowed, for rows of different heights. */
  readonly isWhole?: boolean
  readonly className?: string
  /** For tests. */
  readonly part?: string
}

const rowHeight = 38
const windowedFrom = 200
/** A windowed list stays windowed down to this many rows, so that a reader on its last page keeps their place. */
const windowedStill = 50
/** The next page is loaded this many rows before the last one. */
const nearEnd = 20

export function DataTable<Row>({ actions, ...given }: DataTableProps<Row>) {
  const columns =
    actions === undefined
      ? given.columns
      : [
          ...given.columns,
          { id: 'actions', head: <span className="hidden-text">Actions</span>, isEnd: true, cell: actions },
        ]
  const props = { ...given, columns }
  const isWindowed = useRef(false)
  const body = useRef<HTMLTableSectionElement>(null)
  useRowKeys(body, props.open !== undefined)
  const least = isWindowed.current ? windowedStill : windowedFrom
  isWindowed.current = props.isWhole !== true && (props.rows.length >= least || props.more !== undefined)
  return isWindowed.current ? (
    <WindowedTable {...props} body={body} />
  ) : (
    <div className="table-frame">
      <table className={`table ${props.className ?? ''}`} data-part={props.part}>
        <Head {...props} />
        <tbody ref={body}>
          {props.rows.map((row, index) => (
            <TableRow key={props.idOf(row)} row={row} index={index} {...props} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Body = RefObject<HTMLTableSectionElement | null>

/** Moves one step from the focused row, or to the first row if none is focused. */
function useRowKeys(body: Body, isOn: boolean): void {
  const step = (by: 1 | -1) => {
    const row = document.activeElement?.closest('[data-row]')
    if (row === null || row === undefined || body.current?.contains(row) !== true)
      body.current?.querySelector<HTMLElement>('[data-row]')?.focus()
    else focusRow(by === 1 ? row.nextElementSibling : row.previousElementSibling)
  }
  useHotkeys(
    isOn
      ? [
          { keys: 'j', does: 'Next row', run: () => step(1) },
          { keys: 'k', does: 'Previous row', run: () => step(-1) },
        ]
      : [],
  )
}

function focusRow(row: Element | null): void {
  if (row instanceof HTMLElement && row.tabIndex === 0) row.focus()
}

function WindowedTable<Row>(props: DataTableProps<Row> & { readonly body: Body }) {
  const { rows, total, more } = props
  const frame = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  // After every render, not only on a scroll: the reader may reach the end before the next page can be requested.
  useEffect(() => {
    const last = items.at(-1)
    if (last === undefined || last.index < rows.length - nearEnd) return
    if (more !== undefined && !more.isBusy && more.failure === null) more.load()
  })
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard. */}
      <section ref={frame} className="table-frame table-window" tabIndex={0} aria-label={props.caption}>
        <table className="table" aria-rowcount={total ?? rows.length}>
          <Head {...props} />
          <tbody ref={props.body}>
            {before > 0 ? <tr aria-hidden style={{ height: before }} /> : null}
            {items.map(({ index }) => {
              const row = rows[index]
              return row === undefined ? null : (
                <TableRow key={props.idOf(row)} row={row} index={index} {...props} />
              )
            })}
            {after > 0 ? <tr aria-hidden style={{ height: after }} /> : null}
          </tbody>
        </table>
        {more?.isLoading === true ? <p className="table-more muted small">Loading more…</p> : null}
      </section>
      {more === undefined || more.failure === null ? null : (
        <PartError what="The rest of the list" failure={more.failure} retry={more.load} />
      )}
    </>
  )
}

function Head<Row>({
  caption,
  columns,
  rows,
  idOf,
  sorting,
  onSort,
  selection,
  total = rows.length,
}: DataTableProps<Row>) {
  const hasChosen = selection !== undefined && rows.some(row => selection.ids.has(idOf(row)))
  return (
    <>
      <caption className="hidden-text">{caption}</caption>
      <thead>
        <tr>
          {selection === undefined ? null : (
            <th scope="col">
              <input
                type="checkbox"
                aria-label={`Select all ${total} rows`}
                checked={selection.isAll}
                ref={box => {
                  if (box !== null) box.indeterminate = hasChosen && !selection.isAll
                }}
                onChange={selection.toggleAll}
              />
            </th>
          )}
          {columns.map(({ id, head, isEnd, sort, firstOrder = 'asc', from, width }) => {
            const isSorted = sort !== undefined && sorting?.sort === sort
            const isDown = isSorted && sorting?.order === 'desc'
            const direction = isSorted ? (isDown ? 'descending' : 'ascending') : undefined
            return (
              <th
                key={id}
                scope="col"
                className={cellClass(isEnd, from)}
                {...(direction === undefined ? {} : { 'aria-sort': direction })}
                {...(width === undefined ? {} : { style: { width } })}
              >
                {sort === undefined || onSort === undefined ? (
                  head
                ) : (
                  <button
                    type="button"
                    className="row"
                    onClick={() => onSort({ sort, order: isSorted ? (isDown ? 'asc' : 'desc') : firstOrder })}
                  >
                    {head}
                    {isSorted ? (
                      isDown ? (
                        <ArrowDown size={12} aria-hidden />
                      ) : (
                        <ArrowUp size={12} aria-hidden />
                      )
                    ) : null}
                  </button>
                )}
              </th>
            )
          })}
        </tr>
      </thead>
    </>
  )
}

function TableRow<Row>({
  row,
  index,
  columns,
  idOf,
  open,
  openId,
  selection,
}: DataTableProps<Row> & { readonly row: Row; readonly index: number }) {
  const id = idOf(row)
  const isSelected = selection?.ids.has(id) === true || openId === id
  return (
    <tr
      data-row={id}
      data-selected={isSelected}
      aria-rowindex={index + 2}
      {...(open === undefined
        ? {}
        : {
            tabIndex: 0,
            onClick: (event: React.MouseEvent) => {
              if (!isControl(event.target)) open(row)
            },
            onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) => walk(event, () => open(row)),
            style: { cursor: 'pointer' },
          })}
    >
      {selection === undefined ? null : (
        <td>
          <input
            type="checkbox"
            aria-label={`Select ${id}`}
            checked={selection.ids.has(id)}
            onChange={event =>
              selection.toggle(id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)
            }
          />
        </td>
      )}
      {columns.map(({ id: column, cell, isEnd, from }) => (
        <td key={column} className={cellClass(isEnd, from)}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}

function cellClass(isEnd: boolean | undefined, from: number | undefined): string {
  return [isEnd === true ? 'end' : '', from === undefined ? '' : `from-${from}`].join(' ').trim()
}

/** True if the click was on a control within the row, which then handles it. */
function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label, [role="menuitem"]') !== null
}

function walk(event: KeyboardEvent<HTMLTableRowElement>, open: () => void): void {
  if (event.target !== event.currentTarget) return
  const row = event.currentTarget
  if (event.key === 'ArrowDown') focusRow(row.nextElementSibling)
  else if (event.key === 'ArrowUp') focusRow(row.previousElementSibling)
  else if (event.key === 'Enter' || event.key === 'o') open()
  else return
  event.preventDefault()
}
