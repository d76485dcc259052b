// Entries of a session as stored, each loaded when it is opened.
import type { SessionEntry, SessionItem } from '@fairgate/contracts/console/session-view.ts'
import { useState } from 'react'
import { EntryMoment } from '../show/entry-moment.tsx'
import { ForeignText } from '../show/foreign.tsx'
import { PageLink } from '../show/page-link.tsx'
import { useSessionSource } from './session-source.tsx'
import { StoredEntryView } from './stored-entry.tsx'

export function RawEntries({
  items,
  team,
}: {
  readonly items: readonly SessionItem[]
  readonly team: string
}) {
  return (
    <ol className="stack" aria-label="Raw entries">
      {items.map(({ entry }) =>
        entry === null ? null : <RawEntry key={entry.seq} entry={entry} team={team} />,
      )}
    </ol>
  )
}

function RawEntry({ entry, team }: { readonly entry: SessionEntry; readonly team: string }) {
  const { seq, event } = entry
  const [isOpen, setOpen] = useState(false)
  const { entryHref } = useSessionSource()
  return (
    <li id={`e${seq}`} className="raw-entry talk-entry" tabIndex={-1}>
      <div className="row-between">
        <button
          type="button"
          data-fold
          className="talk-tool"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <code className="strong">#{seq}</code>
          <ForeignText text={event ?? 'no event'} most={60} />
          <span className="faint mono">
            <EntryMoment times={entry} as="clock" />
          </span>
        </button>
        <PageLink href={entryHref(team, seq)}>Open entry</PageLink>
      </div>
      {isOpen ? <StoredEntryView team={team} seq={seq} /> : null}
    </li>
  )
}
