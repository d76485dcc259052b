// One entry exactly as it is stored, with what proves it.
import type { StoredEntry } from '@fairgate/contracts/console/session-view.ts'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { formatBytes } from '../../../format/number.ts'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import { CopyButton } from '../../../show/copy-button.tsx'
import { ForeignCode, ForeignText } from '../../../show/foreign.tsx'
import { LinkButton } from '../../../show/link-button.tsx'
import { Moment } from '../../../show/moment.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Loaded } from '../../../show/states.tsx'

export function EntryScreen() {
  const { team, seq } = useParams({ from: '/console/entries/$team/$seq' })
  const entry = useRead(
    readOf<StoredEntry>(`/entries/${encodeURIComponent(team)}/${encodeURIComponent(seq)}`),
  )
  const session = (entry.data?.entry as { readonly session_id?: unknown } | undefined)?.session_id
  return (
    <>
      <PageHead
        title={`Entry ${team}#${seq}`}
        crumbs={
          <>
            <Link to="/console/sessions" search={{ team }}>
              Sessions
            </Link>
            › <ForeignText text={team} />
          </>
        }
        beside={entry.data?.is_late === true ? <Badge tone="warn">came after the lock</Badge> : null}
      >
        {typeof session === 'string' ? (
          <LinkButton
            href={`/console/sessions/${encodeURIComponent(team)}/${encodeURIComponent(session)}?seq=${seq}`}
          >
            In its session
          </LinkButton>
        ) : null}
      </PageHead>
      <Loaded read={entry} what="The entry" height={500}>
        {found => (
          <div className="grid entry-columns">
            <Card
              title="As it is stored"
              note={formatBytes(found.body_bytes)}
              action={<CopyButton text={JSON.stringify(found.entry, null, 2)} />}
            >
              <ForeignCode text={JSON.stringify(found.entry, null, 2)} most={500_000} />
            </Card>
            <Proof entry={found} />
          </div>
        )}
      </Loaded>
    </>
  )
}

function Proof({ entry }: { readonly entry: StoredEntry }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Happened', <Moment key="ts" at={entry.ts} />],
    ['Received', <Moment key="received" at={entry.received_at} />],
    [
      'Sent with',
      entry.token === null ? (
        '–'
      ) : (
        <ForeignText
          key="token"
          text={`${entry.token.name ?? entry.token.token_id}${entry.token.member === null ? '' : `, ${entry.token.member}`}`}
        />
      ),
    ],
    ['From', entry.client_address ?? '–'],
    ['Identity', <Digest key="id" text={entry.id} />],
    ['Body', <Digest key="body" text={entry.body_sha256} />],
    ['Link', <Digest key="chain" text={entry.chain} />],
    ['Link before', <Digest key="before" text={entry.previous_chain} />],
    ['Commitment', entry.commitment === null ? '–' : <Digest key="commitment" text={entry.commitment} />],
  ]
  return (
    <Card title="What proves it">
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function Digest({ text }: { readonly text: string }) {
  return (
    <span className="row">
      <code>{text.slice(0, 16)}…</code>
      <CopyButton text={text} isIcon />
    </span>
  )
}
