// Edits the event's name, time zone and spending cap.

import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Select } from '@mantine/core'
import { useState } from 'react'
import { parseMoney } from '../../../format/money.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'

const zones = Intl.supportedValuesOf('timeZone')

export function SettingsDialog({
  event,
  onClose,
}: {
  readonly event: EventRecord
  readonly onClose: () => void
}) {
  const [name, setName] = useState(event.name)
  const [zone, setZone] = useState(event.time_zone)
  const [cap, setCap] = useState(event.cap_nano === null ? '' : String(event.cap_nano / 1e9))
  const capNano = cap.trim() === '' ? null : parseMoney(cap)
  const isWrong = cap.trim() !== '' && capNano === null
  return (
    <ActionDialog
      title="Event settings"
      request={{
        method: 'PUT',
        path: '/event',
        body: isWrong ? null : { name: name.trim(), time_zone: zone, cap_nano: capNano },
      }}
      verb="Save settings"
      takeBack={() => {
        const { name, time_zone, cap_nano } = event
        return [{ method: 'PUT', path: '/event', body: { name, time_zone, cap_nano } }]
      }}
      onClose={onClose}
    >
      <TextField label="Name" value={name} maxLength={512} onChange={setName} />
      <Select
        label="Time zone"
        description="All pages show times in this zone"
        searchable
        allowDeselect={false}
        data={zones.includes(zone) ? zones : [zone, ...zones]}
        value={zone}
        onChange={value => setZone(value ?? zone)}
      />
      <TextField
        label="Event cap for all teams (USD)"
        description="Leave empty for no cap"
        value={cap}
        onChange={setCap}
        error={isWrong ? 'Enter an amount such as 900 or 900.50' : null}
      />
    </ActionDialog>
  )
}
