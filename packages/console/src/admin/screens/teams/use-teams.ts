// Reads the team rows for the address and keeps them up to date from the live stream.

import type { TeamRow, TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { readOf, useReadPages } from '../../../api/use-read.ts'
import { useRefresh, useTopic } from '../../../live/live-context.tsx'
import type { Sorting } from '../../../show/data-table.tsx'
import { patchRows } from './patch-rows.ts'

/** Large enough to load most events in one page. More rows load on scroll. */
const pageSize = 200

export function useTeams({
  q,
  state,
  sorting,
}: {
  readonly q: string | undefined
  readonly state: string | undefined
  readonly sorting: Sorting
}) {
  const queries = useQueryClient()
  const read = useReadPages(
    readOf<TeamsReply>('/teams', {
      q,
      state,
      sort: sorting.sort,
      order: sorting.sort === 'attention' ? undefined : sorting.order,
      limit: pageSize,
    }),
  )
  // Figures change in place at once; the order and the counts follow every few seconds.
  useTopic<{ readonly items: readonly TeamRow[] }>('teams', ({ items }) => {
    const changed = new Map(items.map(row => [row.team_id, row]))
    queries.setQueriesData<InfiniteData<TeamsReply> | TeamsReply>({ queryKey: ['/teams'] }, data =>
      data === undefined
        ? data
        : 'pages' in data
          ? { ...data, pages: data.pages.map(page => patchRows(page, changed)) }
          : patchRows(data, changed),
    )
  })
  useRefresh('teams', [['/teams']], 5000)
  return read
}
