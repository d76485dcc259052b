// Team screen: a head with state and actions, and tabs below it.

import type { LookupReply } from '@fairgate/contracts/console/lookup.ts'
import type { TeamRow, TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { rolesOf } from '@fairgate/contracts/management/roles.ts'
import { Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Ban, DollarSign, Lock, LockOpen, MoreHorizontal, SlidersHorizontal } from 'lucide-react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { usePageParts, useRefresh, useTopic } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignName, ForeignText } from '../../../show/foreign.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useMayOrganise, useSession } from '../../session-context.tsx'
import { NotesCard } from '../notes/notes-card.tsx'
import { patchRows } from '../teams/patch-rows.ts'
import { TeamLights, TeamStateBadge } from '../teams/team-state.tsx'
import { AuditTab } from './audit-tab.tsx'
import { CorrectDialog } from './correct-dialog.tsx'
import { EvidenceTab } from './evidence-tab.tsx'
import { LimitsTab } from './limits-tab.tsx'
import { OverviewTab } from './overview-tab.tsx'
import { PeopleTab } from './people-tab.tsx'
import { SessionsTab } from './sessions-tab.tsx'
import { isTeamAction, TeamActionDialog } from './team-actions.tsx'
import { TimelineTab } from './timeline-tab.tsx'

export function TeamScreen() {
  const { team = '', tab = 'overview' } = useParams({ strict: false })
  const queries = useQueryClient()
  const query = { team_id: team }
  const read = useRead(readOf<TeamsReply>('/teams', query))
  const isThere = read.data?.items.some(({ team_id }) => team_id === team) === true
  // A topic for an unknown team would make the server refuse the whole stream.
  useTopic<TeamRow>(isThere ? `team:${team}` : null, row => {
    queries.setQueryData<TeamsReply>(['/teams', query], data =>
      data === undefined ? data : patchRows(data, new Map([[row.team_id, row]])),
    )
  })
  useRefresh('event', [['/teams']])
  return (
    <Loaded read={read} what="The team" height={40} lines={4}>
      {({ items }) => {
        const row = items.find(({ team_id }) => team_id === team)
        // While another team loads, `data` still holds the previous one.
        if (row === undefined) return read.isPlaceholderData ? null : <NoSuchTeam team={team} />
        return (
          <>
            <TeamHead row={row} />
            <Tabs team={team} />
            <Tab row={row} tab={tab} />
          </>
        )
      }}
    </Loaded>
  )
}

const tabs = [
  { id: 'overview', label: 'Overview', openTo: 'everyone' },
  { id: 'timeline', label: 'Timeline', openTo: 'everyone' },
  { id: 'sessions', label: 'Sessions', openTo: 'everyone' },
  { id: 'people', label: 'People & keys', openTo: 'everyone' },
  { id: 'limits', label: 'Limits', openTo: 'organisers' },
  { id: 'evidence', label: 'Evidence', openTo: 'everyone' },
  { id: 'notes', label: 'Notes', openTo: 'judges' },
  { id: 'audit', label: 'Audit', openTo: 'operators' },
] as const

function Tabs({ team }: { readonly team: string }) {
  const { role } = useSession()
  const shown = tabs.filter(({ openTo }) => rolesOf[openTo].includes(role))
  return (
    <nav className="tabs" aria-label="Team">
      {shown.map(({ id, label }) =>
        id === 'overview' ? (
          <Link
            key={id}
            to="/console/teams/$team"
            params={{ team }}
            className="tab"
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {label}
          </Link>
        ) : (
          <Link
            key={id}
            to="/console/teams/$team/$tab"
            params={{ team, tab: id }}
            className="tab"
            activeOptions={{ includeSearch: false }}
          >
            {label}
          </Link>
        ),
      )}
      <Link to="/console/calls" search={{ team }} className="tab">
        Calls ↗
      </Link>
    </nav>
  )
}

function Tab({ row, tab }: { readonly row: TeamRow; readonly tab: string }) {
  const { role } = useSession()
  const known = tabs.find(({ id }) => id === tab)
  if (known === undefined)
    return (
      <Card>
        <Empty
          action={
            <Link to="/console/teams/$team" params={{ team: row.team_id }}>
              Go to the team's overview
            </Link>
          }
        >
          Unknown tab “
          <ForeignText text={tab} most={40} />
          ”.
        </Empty>
      </Card>
    )
  if (!rolesOf[known.openTo].includes(role))
    return (
      <Card>
        <Empty>
          {known.openTo === 'judges'
            ? 'Only organisers and judges can see this tab.'
            : 'Only organisers can see this tab.'}
        </Empty>
      </Card>
    )
  // A key per team, so that text typed in one team's forms never moves to another's.
  const key = row.team_id
  switch (known.id) {
    case 'overview':
      return <OverviewTab key={key} row={row} />
    case 'timeline':
      return <TimelineTab key={key} team={row.team_id} />
    case 'sessions':
      return <SessionsTab key={key} team={row.team_id} />
    case 'people':
      return <PeopleTab key={key} team={row.team_id} />
    case 'limits':
      return <LimitsTab key={key} row={row} />
    case 'evidence':
      return <EvidenceTab key={key} team={row.team_id} />
    case 'notes':
      return <NotesCard key={key} about={{ subject: 'team', team: row.team_id }} />
    case 'audit':
      return <AuditTab key={key} team={row.team_id} />
  }
}

function TeamHead({ row }: { readonly row: TeamRow }) {
  const { search, change } = useAddress()
  const mayOrganise = useMayOrganise()
  const { team_id, team_alias, state, lights, people, keys, board_locked } = row
  const isBlocked = state === 'blocked' || lights.key.s === 'blocked'
  const action = search.do
  const open = (name: string) => change({ do: name }, true)
  return (
    <>
      <PageHead
        title={team_alias}
        name={<ForeignName name={team_alias} most={60} />}
        crumbs={
          <>
            <Link to="/console/teams">Teams</Link>
            <span aria-hidden>›</span>
            <code className="cut">{team_id}</code>
            <CopyButton text={team_id} label="Copy id" isIcon />
          </>
        }
        beside={
          <>
            <TeamStateBadge state={state} />
            <TeamLights lights={lights} />
            {board_locked ? <Badge icon={<Lock aria-hidden />}>Board locked</Badge> : null}
            <span className="muted small">
              {countOf(people, 'person', 'people')} · {countOf(keys, 'key')}
            </span>
          </>
        }
      >
        {mayOrganise ? (
          <>
            <IconButton icon={DollarSign} onClick={() => open('grant')}>
              Grant…
            </IconButton>
            <Button
              variant="default"
              leftSection={<SlidersHorizontal size={15} aria-hidden />}
              renderRoot={props => (
                <Link to="/console/teams/$team/$tab" params={{ team: team_id, tab: 'limits' }} {...props} />
              )}
            >
              Limits…
            </Button>
            <IconButton
              icon={board_locked ? LockOpen : Lock}
              onClick={() => open(board_locked ? 'unlock' : 'lock')}
            >
              {board_locked ? 'Unlock board' : 'Lock board'}
            </IconButton>
            <IconButton
              icon={Ban}
              variant={isBlocked ? 'default' : 'outline'}
              color="red"
              onClick={() => open(isBlocked ? 'unblock' : 'block')}
            >
              {isBlocked ? 'Unblock' : 'Block'}
            </IconButton>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" px={10} aria-label="More actions">
                  <MoreHorizontal size={16} aria-hidden />
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => open('correct')}>Correct spend…</Menu.Item>
                <Menu.Item
                  renderRoot={props => <Link to="/console/handouts" search={{ teams: team_id }} {...props} />}
                >
                  Print handout with claim code
                </Menu.Item>
                <Menu.Item
                  renderRoot={props => <Link to="/console/spend" search={{ team: team_id }} {...props} />}
                >
                  View team spend
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          </>
        ) : null}
      </PageHead>
      {isBlocked ? (
        <div className="notice" data-tone="bad">
          <Ban size={18} aria-hidden color="var(--fill-bad)" />
          <div className="grow">
            <span className="strong">The team is blocked.</span> None of its keys work. The audit log shows
            who blocked it and why.
          </div>
        </div>
      ) : null}
      {mayOrganise && action === 'correct' ? (
        <CorrectDialog
          team={team_id}
          keyHash={search.key}
          callId={search.call}
          choose={call => change({ call }, true)}
          onClose={() => change({ do: undefined, key: undefined, call: undefined })}
        />
      ) : null}
      {mayOrganise && isTeamAction(action) ? (
        <TeamActionDialog
          action={action}
          teams={[{ id: team_id, name: team_alias }]}
          onClose={() => change({ do: undefined })}
        />
      ) : null}
    </>
  )
}

/** Suggests teams with a similar id or name. */
function NoSuchTeam({ team }: { readonly team: string }) {
  const { send } = usePageParts()
  // Searches by the text before the first punctuation mark, which is most likely right.
  const part = team.split(/[^\p{L}\p{N}]+/u)[0] ?? ''
  const near = useQuery({
    queryKey: ['/lookup', 'near', part],
    enabled: part !== '',
    queryFn: ({ signal }) =>
      send<LookupReply>('POST', '/lookup', { body: { value: part.slice(0, 3) }, signal }),
  })
  const found = (near.data?.items ?? []).filter(({ kind }) => kind === 'team').slice(0, 5)
  return (
    <>
      <PageHead title="Team not found" crumbs={<Link to="/console/teams">Teams</Link>} />
      <Card>
        <Empty action={<Link to="/console/teams">All teams</Link>}>
          <p>
            There is no team ‘
            <ForeignText text={team} most={128} />
            ’.
          </p>
          {found.length === 0 ? null : (
            <p>
              Did you mean{' '}
              {found.map(({ id, name }, index) => (
                <span key={id}>
                  {index === 0 ? '' : index === found.length - 1 ? ' or ' : ', '}
                  <Link to="/console/teams/$team" params={{ team: id }}>
                    <ForeignText text={name} most={40} />
                  </Link>
                </span>
              ))}
              ?
            </p>
          )}
        </Empty>
      </Card>
    </>
  )
}
