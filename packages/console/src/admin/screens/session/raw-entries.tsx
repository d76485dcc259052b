// Entries of a session as stored, each loaded when it is opened.
import type { SessionEntry, SessionItem } from '@fairgate/contracts/console/session-view.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { EntryMoment } from '../../../show/entry-moment.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
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
        <Link to="/console/entries/$team/$seq" params={{ team, seq: String(seq) }}>
          Open entry
        </Link>
      </div>
      {isOpen ? <StoredEntryView team={team} seq={seq} /> : null}
    </li>
  )
}
