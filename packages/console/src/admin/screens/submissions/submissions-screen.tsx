// Submissions screen: which teams have handed in, which have not, and what; one team's versions in a drawer.
import {
  type SubmissionList,
  type SubmissionRow,
  submissionStates,
  type TeamSubmission,
} from '@fairgate/contracts/console/submissions.ts'
import { Link } from '@tanstack/react-router'
import { Megaphone } from 'lucide-react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { formatLeft } from '../../../format/time.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useRefresh, useServerNow } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { ChoiceChips } from '../../../show/chips.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { SideDialog } from '../../../show/dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { DownloadLink, IconButton } from '../../../show/icon-button.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded, PartError } from '../../../show/states.tsx'
import { SubmissionFacts, VersionList, WebLink } from '../../../show/submission.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { AnnounceDialog } from '../messages/announce-dialog.tsx'
import { TeamLink } from '../teams/team-link.tsx'

export function SubmissionsScreen() {
  const mayOrganise = useMayOrganise()
  if (mayOrganise) return <AllSubmissions />
  return (
    <>
      <PageHead title="Submissions" />
      <Card isFlush>
        <Empty>Only organisers can see submissions.</Empty>
      </Card>
    </>
  )
}

const words: Readonly<Record<SubmissionRow['state'], string>> = {
  missing: 'Not handed in',
  late: 'Late',
  handed_in: 'Handed in',
}

function AllSubmissions() {
  const { search, set } = useAddress()
  const state = submissionStates.find(each => each === search.state)
  const list = useRead(readOf<SubmissionList>('/submissions'))
  useRefresh('submissions', [['/submissions']], 1000)
  useRefresh('event', [['/submissions']], 1000)
  const all = list.data?.items ?? []
  const rows = state === undefined ? all : all.filter(row => row.state === state)
  const total = list.data?.total
  const choices = [
    { value: undefined, label: total === undefined ? 'All' : `All ${formatCount(all.length)}` },
    ...(['missing', 'late', 'handed_in'] as const).map(value => ({
      value,
      label: total === undefined ? words[value] : `${words[value]} ${formatCount(total[value])}`,
    })),
  ]
  const missing = all.filter(row => row.state === 'missing').map(({ team_id }) => team_id)
  const isUnused = list.data?.asked === false && all.every(row => row.state === 'missing')
  return (
    <>
      <PageHead title="Submissions" beside={<Deadline due={list.data?.due_at ?? null} />}>
        {missing.length === 0 || isUnused ? null : (
          <IconButton icon={Megaphone} onClick={() => set({ do: 'announce' })}>
            Announce to {countOf(missing.length, 'team')} without a submission
          </IconButton>
        )}
        <DownloadLink href="/submissions/export.csv?bom=true">CSV</DownloadLink>
        <DownloadLink href="/submissions/export.ndjson">JSON</DownloadLink>
      </PageHead>
      {isUnused ? (
        <Card isFlush>
          <Empty
            action={
              <Link to="/console/event" search={{ do: 'settings' }}>
                Ask for submissions
              </Link>
            }
          >
            This event asks for no submissions.
          </Empty>
        </Card>
      ) : (
        <>
          <div className="row wrap">
            <ChoiceChips choices={choices} value={state} onChange={value => set({ state: value })} />
          </div>
          <TableCard
            read={list}
            rows={rows}
            what="The list of submissions"
            height={420}
            none="No teams yet. Create a team first."
            next={<Link to="/console/teams">Go to teams</Link>}
            filter={
              state === undefined
                ? null
                : {
                    none: `No team is “${words[state].toLowerCase()}”, out of ${countOf(all.length, 'team')}.`,
                    clear: () => set({ state: undefined }),
                  }
            }
            caption="Submissions, teams that have not handed in first"
            columns={columns}
            idOf={({ team_id }) => team_id}
            open={row => set({ team: row.team_id })}
            openId={search.team ?? null}
          />
        </>
      )}
      {search.do === 'announce' ? (
        <AnnounceDialog to={missing} onClose={() => set({ do: undefined })} />
      ) : null}
      {search.team === undefined ? null : <TeamDrawer key={search.team} team={search.team} />}
    </>
  )
}

function Deadline({ due }: { readonly due: string | null }) {
  const now = useServerNow()
  if (due === null) return null
  const left = Date.parse(due) - now
  return (
    <span className="muted">
      {left > 0 ? `${formatLeft(left)} left, until ` : 'deadline was '}
      <Moment at={due} />
    </span>
  )
}

function StateBadge({ state }: { readonly state: SubmissionRow['state'] }) {
  const tone = state === 'handed_in' ? 'ok' : state === 'late' ? 'warn' : 'plain'
  return <Badge tone={tone}>{words[state].toLowerCase()}</Badge>
}

const columns: readonly Column<SubmissionRow>[] = [
  {
    id: 'team',
    head: 'Team',
    cell: ({ team_id, team_alias }) => (
      <span className="strong">
        <ForeignText text={team_alias === '' ? team_id : team_alias} most={40} />
      </span>
    ),
  },
  { id: 'state', head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { id: 'at', head: 'Handed in', cell: ({ handed_in_at }) => <Moment at={handed_in_at} /> },
  {
    id: 'versions',
    head: 'Versions',
    isEnd: true,
    from: 768,
    cell: ({ version }) => formatCount(version),
  },
  {
    id: 'title',
    head: 'Title',
    from: 768,
    cell: ({ title }) => (title === null ? '–' : <ForeignText text={title} most={60} />),
  },
  {
    id: 'repository',
    head: 'Repository',
    from: 1280,
    cell: ({ repository }) => (repository === null ? '–' : <WebLink text={repository} />),
  },
  {
    id: 'lacks',
    head: 'Left empty',
    from: 1024,
    cell: ({ lacks }) => (
      <span className="muted">{lacks.map(name => name.replace('_url', '')).join(', ')}</span>
    ),
  },
]

function TeamDrawer({ team }: { readonly team: string }) {
  const { search, set } = useAddress()
  const path = `/submissions/${encodeURIComponent(team)}`
  const read = useRead(readOf<TeamSubmission>(path, { version: search.version }))
  useRefresh('submissions', [[path]], 1000)
  const close = () => set({ team: undefined, version: undefined })
  const fileHref = (fileId: string) => `${path}/files/${encodeURIComponent(fileId)}`
  return (
    <SideDialog title="Submission" onClose={close}>
      {read.error === null ? (
        <Loaded read={read} what="The submission" height={320}>
          {({ shown, versions, named_in_log }) => (
            <div className="stack">
              <TeamLink team={team} />
              {shown === null ? (
                <p className="muted">This team has handed in nothing yet.</p>
              ) : (
                <>
                  <span className="muted">
                    Version {shown.version} of {versions.length}
                  </span>
                  <SubmissionFacts shown={shown} named={named_in_log} fileHref={fileHref} />
                  <h3>Versions</h3>
                  <VersionList
                    versions={versions}
                    shown={shown.version}
                    open={version => set({ version: String(version) })}
                  />
                </>
              )}
            </div>
          )}
        </Loaded>
      ) : (
        <PartError what="The submission" failure={read.error} />
      )}
    </SideDialog>
  )
}
