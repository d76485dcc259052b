// Timeline tab: filters by kind, and follows live until the user reads back or pauses it.

import { Button } from '@mantine/core'
import { useState } from 'react'
import { useHotkeys } from '../../../frame/hotkeys.tsx'
import { useAddress } from '../../../frame/use-address.ts'
import { Card } from '../../../show/card.tsx'
import { ChoiceChips } from '../../../show/chips.tsx'
import { TimelineItems } from './timeline-items.tsx'

const filters = [
  { value: undefined, label: 'All' },
  { value: 'call', label: 'Calls' },
  { value: 'refusal', label: 'Refused' },
  { value: 'entry', label: 'Log' },
  { value: 'grant', label: 'Grants' },
  { value: 'correction', label: 'Corrections' },
  { value: 'phase', label: 'Phases' },
  { value: 'announcement', label: 'Announcements' },
] as const

export function TimelineTab({ team }: { readonly team: string }) {
  const { search, change } = useAddress()
  const [isHeld, setHeld] = useState(false)
  const kind = filters.find(({ value }) => value === search.kind)?.value
  useHotkeys([{ keys: 'f', does: 'Follow or pause the timeline', run: () => setHeld(now => !now) }])
  return (
    <Card
      isFlush
      title="Timeline"
      action={
        <span className="row wrap">
          <span className="muted small" aria-live="polite">
            {isHeld ? '◌ paused' : '● following'}
          </span>
          <Button variant="default" size="xs" onClick={() => setHeld(!isHeld)} aria-pressed={isHeld}>
            {isHeld ? 'Follow' : 'Pause'} <kbd className="faint">&nbsp;f</kbd>
          </Button>
        </span>
      }
    >
      <search className="row wrap timeline-filters" aria-label="Kind">
        <ChoiceChips choices={filters} value={kind} onChange={value => change({ kind: value })} />
      </search>
      <TimelineItems team={team} kind={kind} isHeld={isHeld} onReadBack={() => setHeld(true)} />
    </Card>
  )
}
