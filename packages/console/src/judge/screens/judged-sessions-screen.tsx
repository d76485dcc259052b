// Sessions of all teams, by time, cost or length.
import type { JudgedSessionsReply } from '@fairgate/contracts/judging/reading.ts'
import { SegmentedControl, Select } from '@mantine/core'
import { readOf, useReadPages } from '../../api/use-read.ts'
import { formatMoney } from '../../format/money.ts'
import { countOf } from '../../format/number.ts'
import { useAddress } from '../../frame/use-address.ts'
import { useRefresh } from '../../live/live-context.tsx'
import { Card } from '../../show/card.tsx'
import { FilterChip } from '../../show/chips.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { List } from '../../show/list.tsx'
import { Money } from '../../show/money.tsx'
import { MoreButton } from '../../show/more-button.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { OwnTeamSelect } from '../parts/own-team-select.tsx'
import { SessionItem } from '../parts/session-item.tsx'
import { useAgainWhile } from '../parts/use-again-while.ts'

const path = '/judging/sessions'
const dollar = 1_000_000_000

export function JudgedSessionsScreen() {
  const { search, set } = useAddress()
  const { team, tool, person, logged, sort = 'newest' } = search
  const leastNano = leastCosts.find(({ value }) => value === search.least)?.nano
  const sessions = useReadPages(
    readOf<JudgedSessionsReply>(path, {
      team,
      tool,
      person,
      logged: logged === 'yes' ? true : logged === 'no' ? false : undefined,
      min_cost_nano: leastNano,
      sort,
      limit: 50,
    }),
  )
  useRefresh('sessions', [[path]], 5000)
  const total = sessions.first?.total
  const pending = sessions.first?.pending ?? 0
  const leftOut = sessions.first?.left_out ?? 0
  useAgainWhile(pending > 0, sessions)
  const chips = { tool, person }
  const isFiltered = [team, tool, person, logged, leastNano].some(value => value !== undefined)
  const clear = { team: undefined, tool: undefined, person: undefined, logged: undefined, least: undefined }
  return (
    <>
      <PageHead title="Sessions" />
      <div className="judge-filters">
        <OwnTeamSelect value={team} onChange={value => set({ team: value, person: undefined })} />
        <Select
          aria-label="In the log"
          placeholder="In the log or not"
          clearable
          data={[
            { value: 'yes', label: 'In the log' },
            { value: 'no', label: 'Not in the log' },
          ]}
          value={logged === 'yes' || logged === 'no' ? logged : null}
          onChange={value => set({ logged: value ?? undefined })}
        />
        <Select
          aria-label="Cost"
          placeholder="Any cost"
          clearable
          data={leastCosts.map(({ value, nano }) => ({ value, label: `${formatMoney(nano)} or more` }))}
          value={search.least ?? null}
          onChange={value => set({ least: value ?? undefined })}
        />
        <SegmentedControl
          aria-label="Order"
          value={sort}
          data={[
            { value: 'newest', label: 'Newest' },
            { value: 'dearest', label: 'Dearest' },
            { value: 'longest', label: 'Longest' },
          ]}
          onChange={value => set({ sort: value === 'newest' ? undefined : value })}
        />
        {Object.entries(chips).map(([name, value]) =>
          value === undefined ? null : (
            <FilterChip key={name} onClear={() => set({ [name]: undefined })}>
              {name}: <ForeignText text={value} most={30} />
            </FilterChip>
          ),
        )}
      </div>
      {total === undefined ? null : (
        <p className="muted" role="status">
          {countOf(total.count, 'session')} · <Money nano={total.cost_nano} isStrong />
          {pending === 0 ? null : ` · ${countOf(pending, 'team is', 'teams are')} still being read`}
          {leftOut === 0
            ? null
            : ` · ${countOf(leftOut, 'older session')} not in this list: choose a team to see all of it`}
        </p>
      )}
      <Card isFlush>
        <List
          read={sessions}
          rows={sessions.rows}
          what="The list of sessions"
          height={420}
          none="No sessions yet. A session starts with a coding tool's first call or first log push."
          filter={isFiltered ? { none: 'No sessions match this filter.', clear: () => set(clear) } : null}
        >
          {() => (
            <ul>
              {sessions.rows.map(session => (
                <li key={`${session.team} ${session.tool} ${session.session_id}`}>
                  <SessionItem session={session} hasTeam />
                </li>
              ))}
            </ul>
          )}
        </List>
      </Card>
      <MoreButton more={sessions.more} fullWidth>
        Show more sessions
      </MoreButton>
    </>
  )
}

const leastCosts = [
  { value: '0.1', nano: dollar / 10 },
  { value: '1', nano: dollar },
  { value: '5', nano: 5 * dollar },
] as const
