// Edits the event's name, time zone and spending cap, and what teams are asked to hand in.

import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Radio, Select, Switch, Textarea } from '@mantine/core'
import { useState } from 'react'
import { parseMoney } from '../../../format/money.ts'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readWhole } from '../team/read-fields.ts'

const zones = Intl.supportedValuesOf('timeZone')

/** As the server allows. */
const maxFiles = 20
const maxDisclosure = 1000

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
  const { submission } = event
  // A deadline of a phase asks for submissions too.
  const isDue = event.phases.some(phase => phase.submissions_until !== null)
  const [isAsked, setAsked] = useState(submission !== null || isDue)
  const [disclosure, setDisclosure] = useState(submission?.disclosure ?? '')
  const [files, setFiles] = useState(String(submission?.max_files ?? 5))
  const [late, setLate] = useState(submission?.late ?? 'marked')
  const fileCount = readWhole(files)
  const isCountWrong = isAsked && (fileCount === null || fileCount > maxFiles)
  const asked = isAsked
    ? { disclosure: disclosure.trim() === '' ? null : disclosure.trim(), max_files: fileCount, late }
    : null
  const usual = submission ?? (isDue ? { disclosure: null, max_files: 5, late: 'marked' } : null)
  const isSame = JSON.stringify(asked) === JSON.stringify(usual)
  return (
    <ActionDialog
      title="Event settings"
      request={{
        method: 'PUT',
        path: '/event',
        body:
          isWrong || isCountWrong
            ? null
            : {
                name: name.trim(),
                time_zone: zone,
                cap_nano: capNano,
                ...(isSame ? {} : { submission: asked }),
              },
      }}
      verb="Save settings"
      takeBack={() => {
        const { name, time_zone, cap_nano } = event
        return [{ method: 'PUT', path: '/event', body: { name, time_zone, cap_nano, submission } }]
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
      <Switch
        label="Ask teams for a submission"
        description={
          isDue
            ? 'A phase has a deadline for submissions, so they are asked for'
            : 'On their page, until the end of the last open phase'
        }
        checked={isAsked}
        disabled={isDue}
        onChange={change => setAsked(change.currentTarget.checked)}
      />
      {isAsked ? (
        <>
          <Textarea
            label="Question that every submission must answer"
            placeholder="Which AI tools and which code of others did you use?"
            description="Leave empty for none"
            autosize
            minRows={1}
            maxRows={6}
            maxLength={maxDisclosure}
            value={disclosure}
            onChange={change => setDisclosure(change.currentTarget.value)}
          />
          <TextField
            label="Files per submission"
            description="0 allows none"
            inputMode="numeric"
            value={files}
            onChange={setFiles}
            error={isCountWrong ? `Enter a whole number from 0 to ${maxFiles}` : null}
          />
          <Radio.Group
            label="After the deadline"
            value={late}
            onChange={value => setLate(value === 'refused' ? 'refused' : 'marked')}
          >
            <div className="stack">
              <Radio value="marked" label="Accept submissions, and mark them late" />
              <Radio value="refused" label="Refuse submissions" />
            </div>
          </Radio.Group>
        </>
      ) : null}
    </ActionDialog>
  )
}
