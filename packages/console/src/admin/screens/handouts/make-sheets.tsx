// Asks for how many seats and how long new codes work, shows what will change, and makes them.
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { readWholeOrNone } from '../team/read-fields.ts'

/** `path` and `body` say which codes are made or renewed; `onDone` is given the reply. */
export function MakeSheets({
  title,
  verb,
  path,
  body,
  onDone,
  onClose,
}: {
  readonly title: string
  readonly verb: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly onDone: (reply: unknown) => void
  readonly onClose: () => void
}) {
  const [seats, setSeats] = useState('')
  const [duration, setDuration] = useState('')
  const more = readWholeOrNone(seats)
  const isDurationWrong = duration.trim() !== '' && !/^\d{1,6}[smhdw]$/.test(duration.trim())
  return (
    <ActDialog
      title={title}
      request={{
        method: 'POST',
        path,
        body:
          more === undefined || isDurationWrong
            ? null
            : {
                ...body,
                ...(more === null ? {} : { seats: more }),
                ...(duration.trim() === '' ? {} : { duration: duration.trim() }),
              },
      }}
      verb={verb}
      undo="A code can be stopped at any time on the page of its team."
      onDone={onDone}
      onClose={onClose}
    >
      <TextInput
        label="Seats for people who are not on the list"
        placeholder="none"
        value={seats}
        onChange={event => setSeats(event.currentTarget.value)}
        error={more === undefined ? 'Write a whole number.' : null}
        inputMode="numeric"
        autoComplete="off"
      />
      <TextInput
        label="The code works for"
        description="Such as 12h or 3d; empty: seven days"
        value={duration}
        onChange={event => setDuration(event.currentTarget.value)}
        error={isDurationWrong ? 'Write a number and s, m, h, d or w, such as 3d.' : null}
        autoComplete="off"
      />
    </ActDialog>
  )
}
