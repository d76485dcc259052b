// Dialogs for actions that affect every team at once; each previews its effect.

import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Chip, SegmentedControl, Select } from '@mantine/core'
import { useState } from 'react'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { TimeField } from '../../../show/time-field.tsx'
import { restorePhases } from './draft-phases.ts'

type Props = { readonly event: EventRecord; readonly onClose: () => void }

export function PauseDialog({ event: { paused }, onClose }: Props) {
  const isPaused = paused !== null
  return (
    <ActionDialog
      title={isPaused ? 'Resume the event' : 'Pause the event'}
      request={{ method: 'POST', path: isPaused ? '/event/resume' : '/event/pause', body: {} }}
      verb={isPaused ? 'Resume the event' : 'Pause the event'}
      showsRunning={!isPaused}
      undo={isPaused ? null : 'Resume undoes this.'}
      onClose={onClose}
    >
      <p className="muted">
        {isPaused
          ? 'Teams can make paid calls again at once.'
          : 'New calls are refused, and teams see your reason. Running calls will finish. Phases do not move; use Extend for that.'}
      </p>
    </ActionDialog>
  )
}

const spans = ['10m', '15m', '30m', '1h'] as const

export function ExtendDialog({ event, onClose }: Props) {
  const [by, setBy] = useState('15m')
  const [phase, setPhase] = useState(event.phase)
  const isComplete = /^(\d+h)?(\d+m)?$/.test(by) && by !== '' && phase !== null
  return (
    <ActionDialog
      title="Extend a phase"
      request={{ method: 'POST', path: '/event/extend', body: isComplete ? { by, phase } : null }}
      verb={`Extend by ${by}`}
      takeBack={() => restorePhases(event)}
      onClose={onClose}
    >
      <Select
        label="Phase"
        data={event.phases.filter(({ until }) => until !== null).map(({ name }) => name)}
        value={phase}
        onChange={setPhase}
        placeholder="No phase is active"
      />
      <div className="row wrap">
        <Chip.Group value={by} onChange={value => setBy(String(value))}>
          {spans.map(span => (
            <Chip key={span} value={span} size="sm">
              {span}
            </Chip>
          ))}
        </Chip.Group>
        <TextField
          aria-label="Duration"
          w={110}
          value={by}
          onChange={text => setBy(text.trim())}
          error={isComplete || phase === null ? null : 'Use a duration such as 20m or 1h30m'}
        />
      </div>
    </ActionDialog>
  )
}

/** Locks or unlocks the boards of all teams. Does not change the gateway. */
export function LockBoardsDialog({ onClose }: Pick<Props, 'onClose'>) {
  const [verb, setVerb] = useState<'lock' | 'unlock'>('lock')
  return (
    <ActionDialog
      title="Lock all boards"
      request={{ method: 'POST', path: `/teams/${verb}`, body: { teams: 'all' } }}
      verb={verb === 'lock' ? 'Lock all boards' : 'Unlock all boards'}
      isDanger={verb === 'lock'}
      showsRunning={verb === 'lock'}
      undo={verb === 'lock' ? 'Unlock all boards undoes this.' : null}
      onClose={onClose}
    >
      <SegmentedControl
        value={verb}
        onChange={value => setVerb(value === 'lock' ? 'lock' : 'unlock')}
        data={[
          { value: 'lock', label: 'Lock' },
          { value: 'unlock', label: 'Unlock' },
        ]}
      />
      <p className="muted">
        {verb === 'lock'
          ? 'The logbook stops accepting entries from all teams. The gateway stays open, so teams can still make calls.'
          : 'The logbook accepts entries again. Scheduled locks are removed.'}
      </p>
    </ActionDialog>
  )
}

export function EndDialog({ event: { ended }, onClose }: Props) {
  const [at, setAt] = useState('')
  const isEnded = ended !== null
  return (
    <ActionDialog
      title={isEnded ? 'Reopen the event' : 'End the event'}
      request={{
        method: 'POST',
        path: isEnded ? '/event/reopen' : '/event/end',
        body: isEnded || at === '' ? {} : { at },
      }}
      verb={isEnded ? 'Reopen the event' : at === '' ? 'End the event now' : 'End the event at that time'}
      isDanger={!isEnded}
      showsRunning={!isEnded}
      undo={isEnded ? null : 'Reopen undoes this.'}
      onClose={onClose}
    >
      <p className="muted">
        {isEnded
          ? 'Phases decide again whether the gateway and boards are open.'
          : 'Closes the gateway and locks all boards. Running calls finish.'}
      </p>
      {isEnded ? null : (
        <TimeField label="Ends at" value={at} onChange={setAt} whenEmpty="Leave empty to end the event now" />
      )}
    </ActionDialog>
  )
}
