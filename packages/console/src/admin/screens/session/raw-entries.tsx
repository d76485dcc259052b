// The entries of a session as they are stored, each read when it is opened.
import type { SessionItem } from '@fairgate/contracts/console/session-view.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
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
        entry === null ? null : (
          <RawEntry key={entry.seq} seq={entry.seq} ts={entry.ts} event={entry.event} team={team} />
        ),
      )}
    </ol>
  )
}

function RawEntry({
  seq,
  ts,
  event,
  team,
}: {
  readonly seq: number
  readonly ts: string
  readonly event: string | null
  readonly team: string
}) {
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
            <Moment at={ts} as="clock" />
          </span>
        </button>
        <Link to="/console/entries/$team/$seq" params={{ team, seq: String(seq) }}>
          On its own
        </Link>
      </div>
      {isOpen ? <StoredEntryView team={team} seq={seq} /> : null}
    </li>
  )
}
