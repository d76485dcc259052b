// The acts that meet everybody at once, each with its effect shown before.

import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import type { PlannedChange } from '@fairgate/contracts/management/planned-act.ts'
import { Chip, Select, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { formatMoment } from '../../../format/time.ts'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { useZone } from '../../../show/zone-context.tsx'

type Props = { readonly event: EventRecord; readonly onClose: () => void }

export function PauseDialog({ event: { paused }, onClose }: Props) {
  const isPaused = paused !== null
  return (
    <ActDialog
      title={isPaused ? 'Resume the event' : 'Pause the event'}
      request={{ method: 'POST', path: isPaused ? '/event/resume' : '/event/pause', body: {} }}
      verb={isPaused ? 'Resume' : 'Pause all teams'}
      describe={useDescribe()}
      undo={isPaused ? null : 'Resume ends it, with one click.'}
      onClose={onClose}
    >
      <p className="muted">
        {isPaused
          ? 'Paid calls are taken again at once.'
          : 'New calls are refused with the reason that you give; teams read it. Running calls end as usual. The phases are not moved: Extend does that.'}
      </p>
    </ActDialog>
  )
}

const spans = ['10m', '15m', '30m', '1h'] as const

export function ExtendDialog({ event, onClose }: Props) {
  const [by, setBy] = useState('15m')
  const [phase, setPhase] = useState(event.phase)
  const isComplete = /^(\d+h)?(\d+m)?$/.test(by) && by !== '' && phase !== null
  return (
    <ActDialog
      title="Extend"
      request={{ method: 'POST', path: '/event/extend', body: isComplete ? { by, phase } : null }}
      verb={`Extend by ${by}`}
      describe={useDescribe()}
      undo="Until the old end it can be extended the other way by editing the phases."
      onClose={onClose}
    >
      <Select
        label="Which phase"
        data={event.phases.filter(({ until }) => until !== null).map(({ name }) => name)}
        value={phase}
        onChange={setPhase}
        placeholder="None is on now"
      />
      <div className="row wrap">
        <Chip.Group value={by} onChange={value => setBy(String(value))}>
          {spans.map(span => (
            <Chip key={span} value={span} size="sm">
              {span}
            </Chip>
          ))}
        </Chip.Group>
        <TextInput
          aria-label="By how long"
          w={110}
          value={by}
          onChange={event => setBy(event.currentTarget.value.trim())}
          error={isComplete || phase === null ? null : 'Such as 20m or 1h30m'}
        />
      </div>
    </ActDialog>
  )
}

export function FreezeDialog({ event: { frozen, time_zone }, onClose }: Props) {
  const [at, setAt] = useState('')
  const isFrozen = frozen !== null
  return (
    <ActDialog
      title={isFrozen ? 'Unfreeze the boards' : 'Freeze the boards'}
      request={{
        method: 'POST',
        path: isFrozen ? '/event/unfreeze' : '/event/freeze',
        body: isFrozen || at === '' ? {} : { at },
      }}
      verb={isFrozen ? 'Unfreeze' : at === '' ? 'Freeze now' : 'Freeze then'}
      isDanger={!isFrozen}
      describe={useDescribe()}
      undo={isFrozen ? null : 'Unfreeze takes it back.'}
      onClose={onClose}
    >
      <p className="muted">
        {isFrozen
          ? 'Log entries are taken again, unless a phase has locked the boards.'
          : 'No further log entry is stored, of any team. What is still on laptops stays there.'}
      </p>
      {isFrozen ? null : (
        <TextInput
          type="datetime-local"
          label="From when on"
          description={`In ${time_zone}. Empty: now.`}
          value={at}
          onChange={change => setAt(change.currentTarget.value)}
        />
      )}
    </ActDialog>
  )
}

/** Times of the server in words; names of what is changed without their technical form. */
export function useDescribe(): (change: PlannedChange) => ReactNode {
  const zone = useZone()
  const show = (value: PlannedChange['from']): ReactNode => {
    if (value === null) return <span className="faint">nothing</span>
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value))
      return <span className="strong">{formatMoment(Date.parse(value), Date.now(), zone)}</span>
    return (
      <span className="strong">
        <ForeignText text={String(value)} most={120} />
      </span>
    )
  }
  return ({ what, subject, from, to, count }) => (
    <>
      <ForeignText text={what.replaceAll(/[._]/g, ' ')} most={60} />
      {subject === 'event' ? '' : ' of '}
      {subject === 'event' ? null : <ForeignText text={subject} most={60} />}
      {count > 1 ? ` (${count})` : ''}: {show(from)} → {show(to)}
    </>
  )
}
