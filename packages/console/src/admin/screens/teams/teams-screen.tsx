// Teams screen: state and budget of every team, and actions on the selected teams.

import type { TeamRow, TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { Button, Menu } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Columns3, FileUp, Plus, Printer } from 'lucide-react'
import { useState } from 'react'
import type { MorePages } from '../../../api/more-pages.ts'
import type { RequestFailure } from '../../../api/request.ts'
import { countOf } from '../../../format/number.ts'
import { useHotkeys } from '../../../frame/hotkeys.tsx'
import { useAddress } from '../../../frame/use-address.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { Card } from '../../../show/card.tsx'
import { DataTable, type Sorting } from '../../../show/data-table.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useToast } from '../../../show/toaster.tsx'
import { useNarrow } from '../../../show/use-narrow.ts'
import { useMayOrganise } from '../../session-context.tsx'
import { type TeamAction, TeamActionDialog } from '../team/team-actions.tsx'
import { readHidden, toggleHidden } from './choose-columns.ts'
import { ImportDialog } from './import-dialog.tsx'
import { NewTeamDialog } from './new-team-dialog.tsx'
import { readAllTeams } from './read-all-teams.ts'
import { clearRows, emptySelection, selectAllRows, toggleRow } from './select-rows.ts'
import { SelectionBar } from './selection-bar.tsx'
import { TeamFilters } from './team-filters.tsx'
import { TeamList } from './team-list.tsx'
import { teamColumns } from './teams-columns.tsx'
import { TeamsCsvButton } from './teams-csv-button.tsx'
import { useHeldOrder } from './use-held-order.ts'
import { useTeams } from './use-teams.ts'

export function TeamsScreen() {
  const { search, change } = useAddress()
  const mayOrganise = useMayOrganise()
  const isNarrow = useNarrow()
  const sorting: Sorting = {
    sort: search.sort ?? 'attention',
    order: search.order === 'desc' ? 'desc' : 'asc',
  }
  const read = useTeams({ q: search.q, state: search.state, sorting })
  const [selection, setSelection] = useState(emptySelection)
  /** Rows of the last "select all", some of which are not loaded in the list. */
  const [matching, setMatching] = useState<readonly TeamRow[]>([])
  const [action, setAction] = useState<TeamAction | null>(null)
  const { send } = usePageParts()
  const say = useToast()
  const { first } = read
  const question = JSON.stringify([search.q, search.state, sorting])
  const { rows, hands } = useHeldOrder(
    read.rows,
    ({ team_id }) => team_id,
    read.isPlaceholderData ? null : question,
  )
  const order = rows.map(({ team_id }) => team_id)
  const toggle = (id: string, isRange: boolean) => setSelection(now => toggleRow(now, order, id, isRange))
  const toggleFocused = (isRange: boolean) => {
    const id = document.activeElement?.closest('[data-row]')?.getAttribute('data-row')
    if (id !== null && id !== undefined) toggle(id, isRange)
  }
  useHotkeys([
    ...(mayOrganise
      ? [
          { keys: 'x', does: 'Select row', run: () => toggleFocused(false) },
          { keys: 'X', does: 'Select rows up to here', run: () => toggleFocused(true) },
        ]
      : []),
    { keys: 'Escape', does: 'Clear selection', run: () => setSelection(emptySelection) },
  ])
  const filter = JSON.stringify([search.q, search.state])
  const total = first?.total.count ?? rows.length
  const isAll =
    rows.length > 0 &&
    order.every(id => selection.ids.has(id)) &&
    (rows.length >= total || selection.whole === filter)
  const toggleAll = async () => {
    if (isAll)
      return setSelection(now => clearRows(now, [...order, ...matching.map(({ team_id }) => team_id)]))
    try {
      const all = rows.length >= total ? rows : await readAllTeams(send, search)
      setMatching(all)
      setSelection(now =>
        selectAllRows(
          now,
          all.map(({ team_id }) => team_id),
          filter,
        ),
      )
    } catch (error) {
      say({ text: `The teams could not be selected. ${(error as RequestFailure).message}`, isBad: true })
    }
  }
  const known = new Map([...matching, ...rows].map(row => [row.team_id, row]))
  const chosen = [...selection.ids].map(id => ({ id, name: known.get(id)?.team_alias ?? id }))
  return (
    <>
      <PageHead title="Teams">
        {isNarrow ? null : <ColumnsButton />}
        <TeamsCsvButton />
        {mayOrganise ? (
          <>
            <Button
              variant="default"
              leftSection={<Printer size={15} aria-hidden />}
              renderRoot={props => <Link to="/console/handouts" {...props} />}
            >
              Handouts
            </Button>
            <IconButton icon={FileUp} onClick={() => change({ do: 'import' }, true)}>
              Import…
            </IconButton>
            <IconButton icon={Plus} variant="filled" onClick={() => change({ do: 'new' }, true)}>
              New team
            </IconButton>
          </>
        ) : null}
      </PageHead>
      <TeamFilters states={first?.states} found={first?.total.count} />
      <Loaded read={read} what="The list of teams" height={38} lines={10}>
        {() =>
          rows.length === 0 ? (
            <NoTeams states={first?.states} />
          ) : (
            <TeamRows
              rows={rows}
              total={total}
              sorting={sorting}
              onSort={next => change({ sort: next.sort, order: next.order })}
              selected={selection.ids}
              toggle={toggle}
              isAll={isAll}
              toggleAll={() => void toggleAll()}
              hands={hands}
              more={read.more}
            />
          )
        }
      </Loaded>
      {mayOrganise && chosen.length > 0 ? (
        <SelectionBar
          count={chosen.length}
          all={
            !isAll || chosen.length > total
              ? null
              : search.q === undefined && search.state === undefined
                ? 'all'
                : 'matching'
          }
          onAction={setAction}
          onClear={() => setSelection(emptySelection)}
          locked={chosen.every(({ id }) => known.get(id)?.board_locked === true)}
          blocked={chosen.every(({ id }) => known.get(id)?.state === 'blocked')}
        />
      ) : null}
      {action === null ? null : (
        <TeamActionDialog
          action={action}
          teams={chosen}
          onClose={() => setAction(null)}
          onDone={() => setSelection(emptySelection)}
        />
      )}
      {mayOrganise && search.do === 'new' ? (
        <NewTeamDialog onClose={() => change({ do: undefined })} />
      ) : null}
      {mayOrganise && search.do === 'import' ? (
        <ImportDialog onClose={() => change({ do: undefined })} />
      ) : null}
    </>
  )
}

function TeamRows({
  rows,
  total,
  sorting,
  onSort,
  selected,
  toggle,
  isAll,
  toggleAll,
  hands,
  more,
}: {
  readonly rows: readonly TeamRow[]
  readonly total: number
  readonly sorting: Sorting
  readonly onSort: (sorting: Sorting) => void
  readonly selected: ReadonlySet<string>
  readonly toggle: (id: string, isRange: boolean) => void
  readonly isAll: boolean
  readonly toggleAll: () => void
  readonly hands: ReturnType<typeof useHeldOrder>['hands']
  readonly more: MorePages | undefined
}) {
  const isNarrow = useNarrow()
  const navigate = useNavigate()
  const mayOrganise = useMayOrganise()
  const { search } = useAddress()
  const hidden = readHidden(search.hide, optionalColumns)
  if (isNarrow) return <TeamList rows={rows} total={total} more={more} />
  return (
    <Card isFlush hands={hands}>
      <DataTable
        caption="Teams"
        columns={teamColumns.filter(({ id }) => !hidden.has(id))}
        rows={rows}
        idOf={({ team_id }) => team_id}
        open={({ team_id }) => void navigate({ to: '/console/teams/$team', params: { team: team_id } })}
        sorting={sorting}
        onSort={onSort}
        {...(mayOrganise ? { selection: { ids: selected, toggle, isAll, toggleAll } } : {})}
        total={total}
        more={more}
      />
    </Card>
  )
}

function NoTeams({ states }: { readonly states: TeamsReply['states'] | undefined }) {
  const { search, change } = useAddress()
  const mayOrganise = useMayOrganise()
  const all = Object.values(states ?? {}).reduce((sum, count) => sum + count, 0)
  if (search.q !== undefined || search.state !== undefined)
    return (
      <Card>
        <Empty
          action={
            <Button variant="default" onClick={() => change({ q: undefined, state: undefined }, true)}>
              Clear the filter
            </Button>
          }
        >
          {search.q === undefined ? (
            'No teams are in this state.'
          ) : (
            <>
              No team or member {search.state === undefined ? '' : 'in this state '}matches “
              <ForeignText text={search.q} most={60} />
              ”.
            </>
          )}{' '}
          There {all === 1 ? 'is' : 'are'} {countOf(all, 'team')} in total.
        </Empty>
      </Card>
    )
  return (
    <Card>
      <Empty
        action={
          mayOrganise ? (
            <span className="row wrap">
              <Button onClick={() => change({ do: 'import' }, true)}>Import…</Button>
              <Button variant="default" onClick={() => change({ do: 'new' }, true)}>
                New team
              </Button>
            </span>
          ) : undefined
        }
      >
        No teams yet. Import a CSV file with ids, names and members, or create one.
      </Empty>
    </Card>
  )
}

/** The team name is always shown, at the left. */
const optionalColumns = teamColumns.map(({ id }) => id).filter(id => id !== 'team')

function ColumnsButton() {
  const { search, change } = useAddress()
  const hidden = readHidden(search.hide, optionalColumns)
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <IconButton icon={Columns3}>Columns</IconButton>
      </Menu.Target>
      <Menu.Dropdown>
        {teamColumns
          .filter(({ id }) => id !== 'team')
          .map(({ id, head }) => (
            <Menu.CheckboxItem
              key={id}
              checked={!hidden.has(id)}
              onChange={() => change({ hide: toggleHidden(hidden, id) })}
            >
              {head}
            </Menu.CheckboxItem>
          ))}
      </Menu.Dropdown>
    </Menu>
  )
}
