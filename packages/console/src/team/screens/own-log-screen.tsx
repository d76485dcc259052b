// The team's own log entries, and how much of its spend the log covers.

import type { TeamCoverageRecord } from '@fairgate/contracts/calls/coverage.ts'
import type { SelfEntries } from '@fairgate/contracts/console/self.ts'
import { readOf, useRead, useReadPages } from '../../api/use-read.ts'
import { formatMoney } from '../../format/money.ts'
import { countOf, formatShare } from '../../format/number.ts'
import { shortenSession } from '../../format/session.ts'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { FilterChip } from '../../show/chips.tsx'
import { CopyButton } from '../../show/copy-button.tsx'
import { EntryMoment } from '../../show/entry-moment.tsx'
import { ForeignBlock, ForeignId, ForeignText } from '../../show/foreign.tsx'
import { List } from '../../show/list.tsx'
import { Moment } from '../../show/moment.tsx'
import { MoreButton } from '../../show/more-button.tsx'
import { Empty, Loaded } from '../../show/states.tsx'
import { useSelf } from '../self-context.tsx'
import { TeamLink, useTeamSearch } from '../team-link.tsx'

export function OwnLogScreen() {
  return (
    <>
      <h1>Log</h1>
      <div className="team-columns">
        <Entries />
        <div className="stack">
          <Coverage />
          <Recorder />
        </div>
      </div>
    </>
  )
}

function Coverage() {
  const coverage = useRead(readOf<TeamCoverageRecord>('/self/sessions'), { everyMs: 30_000 })
  return (
    <Card title="Coverage">
      <Loaded read={coverage} what="The coverage" height={140}>
        {({ coverage: share, judged, logged_sessions: sessions, sessions_without_entries: missing }) => (
          <div className="stack">
            <div>
              <span className="figure">{share === null ? '–' : formatShare(share)}</span>{' '}
              <span className="muted">
                {share === null
                  ? 'too little data yet'
                  : `of the ${formatMoney(judged.cost_nano)} your agents spent is in the log`}
              </span>
            </div>
            <p className="muted small">{countOf(sessions, 'session')} in the log.</p>
            {missing.length === 0 ? null : (
              <section className="sunken-box">
                <h3>Sessions with calls but no entries</h3>
                <ul className="stack">
                  {missing.slice(0, 8).map(({ session_id, tool, calls, cost_nano, last_at }) => (
                    <li key={`${tool} ${session_id}`} className="row-between">
                      <span className="cut">
                        <ForeignText text={tool} most={20} />{' '}
                        <ForeignId className="faint" text={shortenSession(session_id)} />{' '}
                        <Moment at={last_at} as="ago" />
                      </span>
                      <span className="nowrap">
                        {countOf(calls, 'call')}, {formatMoney(cost_nano)}
                      </span>
                    </li>
                  ))}
                </ul>
                <p className="small">Is the recorder installed on that laptop? Was the work pushed?</p>
              </section>
            )}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function Recorder() {
  const { addresses } = useSelf()
  const commands = [
    `curl -fsSL ${addresses.logbook}/recorder/install.sh | sh`,
    `fairgate-recorder init --url ${addresses.logbook}`,
    'fairgate-recorder status',
  ]
  return (
    <Card title="Recorder" note="once per repository">
      <ul className="stack">
        {commands.map(command => (
          <li key={command} className="row-between">
            <code className="foreign">{command}</code>
            <CopyButton text={command} isIcon />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Entries() {
  const [search, set] = useTeamSearch()
  const entries = useReadPages(
    readOf<SelfEntries>('/self/entries', { session_id: search.session, tool: search.tool, limit: 50 }),
  )
  return (
    <Card
      title="Your entries"
      note="newest first"
      action={
        search.session === undefined ? undefined : (
          <FilterChip onClear={() => set({ session: undefined, tool: undefined })}>
            session <ForeignText text={shortenSession(search.session)} />
          </FilterChip>
        )
      }
    >
      {entries.error !== null && entries.error.status === 403 ? (
        <Empty>{entries.error.message}</Empty>
      ) : (
        <List
          read={entries}
          rows={entries.rows}
          what="The log"
          height={400}
          none="No log entries yet. Install the recorder once per repository, do some work, and push."
        >
          {() => (
            <>
              <ul className="entry-rows">
                {entries.rows.map(row => (
                  <Entry key={row.seq} row={row} />
                ))}
              </ul>
              <MoreButton more={entries.more} fullWidth mt={12}>
                Show older entries
              </MoreButton>
            </>
          )}
        </List>
      )}
    </Card>
  )
}

function Entry({ row }: { readonly row: SelfEntries['items'][number] }) {
  const entry = row.entry as Readonly<Record<string, unknown>>
  const text = [entry.prompt, entry.response_summary, entry.tool_name].find(each => typeof each === 'string')
  return (
    <li className="entry-row">
      <div className="row wrap small muted">
        <span className="mono">
          <EntryMoment times={row} />
        </span>
        <ForeignText text={String(entry.tool ?? '')} most={24} />
        <Badge>
          <ForeignText text={row.event ?? 'entry'} most={32} />
        </Badge>
        <code className="faint">#{row.seq}</code>
        {typeof entry.session_id === 'string' ? (
          <TeamLink href={`/log?session=${encodeURIComponent(entry.session_id)}`}>
            session <ForeignText text={shortenSession(entry.session_id)} />
          </TeamLink>
        ) : null}
        {row.is_late ? <Badge tone="warn">arrived late</Badge> : null}
      </div>
      {typeof text === 'string' ? <ForeignBlock text={text} most={600} /> : null}
    </li>
  )
}
