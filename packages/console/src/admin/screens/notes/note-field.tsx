// Text field of a note, with validation and save errors.
import { Alert, Button, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { checkNote } from './check-note.ts'

export function NoteField({
  label,
  verb,
  text,
  write,
  save,
  isSaving,
  failure,
  cancel,
}: {
  readonly label: string
  readonly verb: string
  readonly text: string
  readonly write: (text: string) => void
  readonly save: (text: string) => void
  readonly isSaving: boolean
  readonly failure: RequestFailure | null
  readonly cancel?: () => void
}) {
  const [wasRefused, setRefused] = useState(false)
  const wrong = checkNote(text)
  // An empty field is only an error after an attempt to save.
  const isReported = wrong !== null && (wasRefused || text.trim() !== '')
  return (
    <form
      className="stack note-form"
      onSubmit={event => {
        event.preventDefault()
        setRefused(wrong !== null)
        if (wrong === null && !isSaving) save(text.trim())
      }}
    >
      <Textarea
        label={label}
        description="Visible to organisers and judges, never to teams."
        autosize
        minRows={3}
        maxRows={16}
        value={text}
        readOnly={isSaving}
        error={isReported ? wrong : null}
        onChange={event => {
          setRefused(false)
          write(event.currentTarget.value)
        }}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit()
        }}
      />
      {failure === null ? null : (
        <Alert color="red" role="alert">
          {failure.message} Your text is kept.
        </Alert>
      )}
      <div className="row-between wrap">
        <span className="muted small">
          {text.trim() === '' ? '' : 'Draft kept in this browser until you save'}
        </span>
        <span className="row">
          {cancel === undefined ? null : (
            <Button variant="default" size="xs" onClick={cancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" size="xs" loading={isSaving}>
            {verb}
          </Button>
        </span>
      </div>
    </form>
  )
}
