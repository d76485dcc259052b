// The timeline of a team, by kind, followed live until somebody reads back or holds it.

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useHotkeys } from '../../../frame/hotkeys.tsx'
import { useAddress } from '../../../frame/use-address.ts'
import { Card } from '../../../show/card.tsx'
import { TimelineItems } from './timeline-items.tsx'

const filters = [
  { kind: undefined, word: 'All' },
  { kind: 'call', word: 'Calls' },
  { kind: 'refusal', word: 'Refused' },
  { kind: 'entry', word: 'Log' },
  { kind: 'grant', word: 'Grants' },
  { kind: 'correction', word: 'Corrections' },
  { kind: 'phase', word: 'Phases' },
  { kind: 'announcement', word: 'Announcements' },
] as const

export function TimelineTab({ team }: { readonly team: string }) {
  const { search, change } = useAddress()
  const [isHeld, setHeld] = useState(false)
  const kind = filters.find(each => each.kind === search.kind)?.kind
  useHotkeys([{ keys: 'f', does: 'Follow or hold the timeline', run: () => setHeld(now => !now) }])
  return (
    <Card
      isFlush
      title="Timeline"
      action={
        <span className="row wrap">
          <span className="muted small" aria-live="polite">
            {isHeld ? '◌ held' : '● following'}
          </span>
          <Button variant="default" size="xs" onClick={() => setHeld(!isHeld)} aria-pressed={isHeld}>
            {isHeld ? 'Follow' : 'Hold'} <kbd className="faint">&nbsp;f</kbd>
          </Button>
        </span>
      }
    >
      <search className="row wrap timeline-filters" aria-label="Kinds">
        {filters.map(({ kind: each, word }) => (
          <button
            key={word}
            type="button"
            className="chip"
            aria-pressed={each === kind}
            onClick={() => change({ kind: each })}
          >
            {word}
          </button>
        ))}
      </search>
      <TimelineItems team={team} kind={kind} isHeld={isHeld} onReadBack={() => setHeld(true)} />
    </Card>
  )
}
