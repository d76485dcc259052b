// Edits all phases at once; the effect is shown before anything changes.

import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Button, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { type DraftPhase, draftOf, emptyDraft, toPhasesBody } from './draft-phases.ts'

export function PhasesDialog({
  event,
  onClose,
}: {
  readonly event: EventRecord
  readonly onClose: () => void
}) {
  const [drafts, setDrafts] = useState<readonly DraftPhase[]>(() =>
    event.phases.length === 0
      ? [emptyDraft('p1')]
      : event.phases.map(phase => draftOf(phase, event.time_zone)),
  )
  const set = (id: string, change: Partial<DraftPhase>) =>
    setDrafts(drafts.map(draft => (draft.id === id ? { ...draft, ...change } : draft)))
  const body = toPhasesBody(drafts)
  return (
    <ActDialog
      title="Phases"
      request={{
        method: 'PUT',
        path: '/event/phases',
        body: body === null ? null : { ...body, version: event.version },
      }}
      verb="Set the phases"
      onClose={onClose}
    >
      <p className="muted small">
        Times in {event.time_zone}. Phases follow one another and may not overlap.
      </p>
      <ul className="stack">
        {drafts.map(draft => (
          <li key={draft.id} className="sunken-box">
            <div className="row">
              <TextInput
                aria-label="Name of the phase"
                placeholder="Contest"
                className="grow"
                value={draft.name}
                onChange={change => set(draft.id, { name: change.currentTarget.value })}
              />
              <Button
                variant="subtle"
                color="red"
                aria-label={`Remove the phase ${draft.name}`}
                onClick={() => setDrafts(drafts.filter(({ id }) => id !== draft.id))}
              >
                <Trash2 size={15} aria-hidden />
              </Button>
            </div>
            <div className="row wrap">
              <TextInput
                type="datetime-local"
                label="From"
                value={draft.from}
                onChange={change => set(draft.id, { from: change.currentTarget.value })}
              />
              <TextInput
                type="datetime-local"
                label="Until"
                description="Only the last may have none"
                value={draft.until}
                onChange={change => set(draft.id, { until: change.currentTarget.value })}
              />
            </div>
            <div className="row wrap">
              <Select
                label="Gateway"
                w={120}
                allowDeselect={false}
                data={['open', 'closed']}
                value={draft.gateway}
                onChange={value => set(draft.id, { gateway: value === 'closed' ? 'closed' : 'open' })}
              />
              <NumberInput
                label="Budget a team, USD"
                description="Empty: that of each team"
                w={180}
                min={0}
                value={draft.budget}
                onChange={value => set(draft.id, { budget: String(value) })}
              />
              <TextInput
                label="Late entries until"
                description="+45m, or empty"
                w={150}
                value={draft.entriesUntil}
                onChange={change => set(draft.id, { entriesUntil: change.currentTarget.value })}
              />
              <Switch
                label="A new budget period"
                checked={draft.isNewPeriod}
                onChange={change => set(draft.id, { isNewPeriod: change.currentTarget.checked })}
              />
            </div>
          </li>
        ))}
      </ul>
      <Button
        variant="default"
        leftSection={<Plus size={14} aria-hidden />}
        onClick={() =>
          setDrafts([...drafts, emptyDraft(`new-${drafts.length}-${Date.now()}`, drafts.at(-1)?.until)])
        }
      >
        Another phase
      </Button>
    </ActDialog>
  )
}
