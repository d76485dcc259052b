// One entry exactly as stored, with its hashes and other proofs.

import type { StoredEntry } from '@fairgate/contracts/console/session-view.ts'
import { useQuery } from '@tanstack/react-query'
import type { RequestFailure } from '../api/request.ts'
import { formatBytes } from '../format/number.ts'
import { usePageParts } from '../live/live-context.tsx'
import { Badge } from '../show/badge.tsx'
import { CopyButton } from '../show/copy-button.tsx'
import { EntryMoment } from '../show/entry-moment.tsx'
import { FactList, type Facts } from '../show/facts.tsx'
import { ForeignCode, ForeignText } from '../show/foreign.tsx'
import { Moment } from '../show/moment.tsx'
import { PageLink } from '../show/page-link.tsx'
import { Loaded } from '../show/states.tsx'
import { findMember, printJson } from './print-json.ts'
import { useSessionSource } from './session-source.tsx'

/** Reads the reply as text too, because parsing would lose exact numbers and repeated names. */
export function useStoredEntry(team: string, seq: number | string, isOff = false) {
  const { send } = usePageParts()
  const path = useSessionSource().entryPath(team, seq)
  return useQuery<{ readonly facts: StoredEntry; readonly json: string }, RequestFailure>({
    queryKey: [path, 'text'],
    enabled: !isOff,
    // An entry never changes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const reply = await fetch(path, { credentials: 'same-origin', signal }).catch(() => null)
      if (reply?.ok !== true) {
        // Fails with the reason, like every other request.
        const facts = await send<StoredEntry>('GET', path, { signal })
        return { facts, json: JSON.stringify(facts.entry) }
      }
      const text = await reply.text()
      const facts: StoredEntry = JSON.parse(text)
      return { facts, json: findMember(text, 'entry') ?? JSON.stringify(facts.entry) }
    },
  })
}

export function StoredEntryView({
  team,
  seq,
  hasSessionLink = false,
}: {
  readonly team: string
  readonly seq: number | string
  readonly hasSessionLink?: boolean
}) {
  const read = useStoredEntry(team, seq)
  return (
    <Loaded read={read} what="The entry" height={320}>
      {({ facts, json }) => (
        <div className="stack">
          <EntryFacts facts={facts} hasSessionLink={hasSessionLink} />
          <div className="row-between">
            <h3>As stored</h3>
            <CopyButton text={json} label="Copy JSON" />
          </div>
          <div className="entry-code" data-stored>
            <ForeignCode text={printJson(json)} most={500_000} />
          </div>
        </div>
      )}
    </Loaded>
  )
}

function EntryFacts({
  facts: entry,
  hasSessionLink,
}: {
  readonly facts: StoredEntry
  readonly hasSessionLink: boolean
}) {
  const { sessionHref } = useSessionSource()
  const { token } = entry
  const { session_id: sessionId, tool } = entry.entry as Readonly<Record<string, unknown>>
  const facts: Facts[number][] = [
    ['Time', <EntryMoment key="times" times={entry} as="clock" />],
    [
      'Received',
      <span key="received" className="row wrap">
        <Moment at={entry.received_at} as="clock" />
        {entry.is_late ? <Badge tone="warn">after the board was locked</Badge> : null}
      </span>,
    ],
    ['Sent with', <code key="t">{token.name ?? token.token_id}</code>],
    ['Member', token.member === null ? '–' : <ForeignText key="member" text={token.member} />],
    ['Address', entry.client_address ?? '–'],
    ['Size', formatBytes(entry.body_bytes)],
    ['Id', <Digest key="id" text={entry.id} />],
    ['SHA-256 of the body', <Digest key="body" text={entry.body_sha256} />],
    ['Chain', <Digest key="chain" text={entry.chain} />],
    ['Previous chain', <Digest key="previous" text={entry.previous_chain} />],
    ['Commitment', entry.commitment === null ? '–' : <Digest key="c" text={entry.commitment} />],
    ['Salt', entry.salt === null ? '–' : <Digest key="s" text={entry.salt} />],
  ]
  if (hasSessionLink && typeof sessionId === 'string' && sessionId !== '')
    facts.unshift([
      'Session',
      <PageLink
        key="session"
        href={sessionHref({
          team: entry.team_id,
          session: sessionId,
          tool: typeof tool === 'string' && tool !== '' ? tool : null,
          seq: entry.seq,
        })}
      >
        <ForeignText text={sessionId} most={60} />
      </PageLink>,
    ])
  return <FactList facts={facts} />
}

function Digest({ text }: { readonly text: string }) {
  return <code className="entry-digest">{text}</code>
}
