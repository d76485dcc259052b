// Edits all phases at once, with a preview of the effect.

import type { CatalogList } from '@fairgate/contracts/management/catalog.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Button, MultiSelect, Select, Switch } from '@mantine/core'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { TimeField } from '../../../show/time-field.tsx'
import {
  type DraftPhase,
  draftOf,
  emptyDraft,
  isBudgetWrong,
  restorePhases,
  toPhasesBody,
} from './draft-phases.ts'

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
  const catalog = useRead(readOf<CatalogList>('/catalog'))
  const modelIds = catalog.data?.models.map(({ id }) => id) ?? []
  return (
    <ActionDialog
      title="Phases"
      request={{
        method: 'PUT',
        path: '/event/phases',
        body: body === null ? null : { ...body, version: event.version },
      }}
      verb="Save phases"
      takeBack={() => restorePhases(event)}
      onClose={onClose}
    >
      <p className="muted small">
        Times are in {event.time_zone}. Phases must be in order and must not overlap.
      </p>
      <ul className="stack">
        {drafts.map(draft => (
          <li key={draft.id} className="sunken-box">
            <div className="row">
              <TextField
                aria-label="Phase name"
                placeholder="Contest"
                className="grow"
                value={draft.name}
                onChange={text => set(draft.id, { name: text })}
              />
              <Button
                variant="subtle"
                color="red"
                aria-label={`Remove phase ${draft.name}`}
                onClick={() => setDrafts(drafts.filter(({ id }) => id !== draft.id))}
              >
                <Trash2 size={15} aria-hidden />
              </Button>
            </div>
            <div className="pair">
              <TimeField label="From" value={draft.from} onChange={from => set(draft.id, { from })} />
              <TimeField
                label="Until"
                whenEmpty="Only the last phase may have no end"
                value={draft.until}
                onChange={until => set(draft.id, { until })}
              />
              <Select
                label="Gateway"
                allowDeselect={false}
                data={['open', 'closed']}
                value={draft.gateway}
                onChange={value => set(draft.id, { gateway: value === 'closed' ? 'closed' : 'open' })}
              />
              <TextField
                label="Late entries until"
                description="A time, or a delay after boards lock, such as +45m"
                value={draft.entriesUntil.replace('T', ' ')}
                onChange={text => set(draft.id, { entriesUntil: text.trimStart().replace(' ', 'T') })}
              />
              <TextField
                label="Submissions until"
                description="A time, or a delay after the end, such as +15m"
                value={draft.submissionsUntil.replace('T', ' ')}
                onChange={text => set(draft.id, { submissionsUntil: text.trimStart().replace(' ', 'T') })}
              />
              <TextField
                label="Budget per team (USD)"
                description="Leave empty to keep each team's own budget"
                value={draft.budget}
                onChange={text => set(draft.id, { budget: text })}
                error={isBudgetWrong(draft) ? 'Enter an amount such as 25 or 25.50' : null}
                inputMode="decimal"
              />
              <MultiSelect
                label="Models"
                placeholder={draft.models === null ? 'All models' : ''}
                description="Leave empty to allow all models"
                searchable
                clearable
                data={[...new Set([...modelIds, ...(draft.models ?? [])])]}
                value={[...(draft.models ?? [])]}
                onChange={models => set(draft.id, { models: models.length === 0 ? null : models })}
              />
            </div>
            <Switch
              label="Start a new budget period"
              checked={draft.isNewPeriod}
              onChange={change => set(draft.id, { isNewPeriod: change.currentTarget.checked })}
            />
          </li>
        ))}
      </ul>
      <IconButton
        icon={Plus}
        onClick={() =>
          setDrafts([...drafts, emptyDraft(`new-${drafts.length}-${Date.now()}`, drafts.at(-1)?.until)])
        }
      >
        Add a phase
      </IconButton>
    </ActionDialog>
  )
}
