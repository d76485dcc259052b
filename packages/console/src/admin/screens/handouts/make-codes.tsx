// Dialog that creates or renews claim codes: asks for seats and duration, and previews the change.

import { useState } from 'react'
import { ActionDialog } from '../../../show/action-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readSpan, readWholeOrNone } from '../team/read-fields.ts'

/** `path` and `body` select the codes to create or renew; `onDone` gets the reply. */
export function MakeCodes({
  title,
  verb,
  undo,
  durationLabel,
  path,
  body,
  onDone,
  onClose,
}: {
  readonly title: string
  readonly verb: string
  readonly undo: string
  readonly durationLabel: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly onDone: (reply: unknown) => void
  readonly onClose: () => void
}) {
  const [seats, setSeats] = useState('')
  const [duration, setDuration] = useState('')
  const more = readWholeOrNone(seats)
  const span = readSpan(duration)
  return (
    <ActionDialog
      title={title}
      request={{
        method: 'POST',
        path,
        body:
          more === undefined || span === undefined
            ? null
            : {
                ...body,
                ...(more === null ? {} : { seats: more }),
                ...(span === null ? {} : { duration: span }),
              },
      }}
      verb={verb}
      undo={undo}
      onDone={onDone}
      onClose={onClose}
    >
      <TextField
        label="Seats for people not on the list"
        placeholder="none"
        value={seats}
        onChange={setSeats}
        error={more === undefined ? 'Enter a whole number' : null}
        inputMode="numeric"
      />
      <TextField
        label={durationLabel}
        description="Such as 12h or 3d. Leave empty for seven days."
        value={duration}
        onChange={setDuration}
        error={span === undefined ? 'Enter a number with s, m, h, d or w, such as 3d' : null}
      />
    </ActionDialog>
  )
}
