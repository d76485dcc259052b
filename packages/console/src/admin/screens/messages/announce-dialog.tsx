// Dialog that sends an announcement to team pages, recorders and the wall.

import type { TeamsReply } from '@fairgate/contracts/console/teams.ts'
import type { AnnouncementReply } from '@fairgate/contracts/management/announcements.ts'
import { MultiSelect, Textarea } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAction, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { ForeignBlock } from '../../../show/foreign.tsx'
import { FormDialog, faultOf } from '../../../show/form-dialog.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { TimeField } from '../../../show/time-field.tsx'

// The server's limit.
const maxCharacters = 500

export function AnnounceDialog({
  to = [],
  onClose,
}: {
  /** Ids of the initially chosen teams; empty for all. */
  readonly to?: readonly string[]
  readonly onClose: () => void
}) {
  const teams = useRead(readOf<TeamsReply>('/teams', { sort: 'team_alias', limit: 500 }))
  const [text, setText] = useState('')
  const [link, setLink] = useState('')
  const [chosen, setChosen] = useState<string[]>([...to])
  const [until, setUntil] = useState('')
  const announce = useAction<object, AnnouncementReply>({
    method: 'POST',
    path: '/announcements',
    changes: ['/announcements', '/audit'],
    done: 'Announced',
  })
  const send = () =>
    announce.mutate(
      {
        text: text.trim(),
        ...(link.trim() === '' ? {} : { link: link.trim() }),
        ...(chosen.length === 0 ? {} : { teams: chosen }),
        ...(until === '' ? {} : { until }),
      },
      { onSuccess: onClose },
    )
  const count = chosen.length === 0 ? 'all teams' : countOf(chosen.length, 'team')
  return (
    <FormDialog
      title="Announce"
      verb={`Announce to ${count}`}
      size={560}
      fields={['text', 'link', 'until']}
      isReady={text.trim() !== ''}
      action={announce}
      onConfirm={send}
      onClose={onClose}
    >
      <Textarea
        label="Message to teams"
        autosize
        minRows={3}
        maxLength={maxCharacters}
        value={text}
        // A single line, as recorders and the wall show it.
        onChange={event => setText(event.currentTarget.value.replaceAll(/\s*\n\s*/g, ' '))}
        error={faultOf(announce.error, 'text')}
        data-autofocus
        required
      />
      <TextField
        label="Link"
        placeholder="https://…"
        value={link}
        onChange={setLink}
        error={faultOf(announce.error, 'link')}
      />
      <MultiSelect
        label="Teams"
        placeholder={chosen.length === 0 ? 'All teams' : ''}
        searchable
        data={
          teams.data?.items.map(({ team_id, team_alias }) => ({
            value: team_id,
            label: team_alias === '' ? team_id : team_alias,
          })) ?? []
        }
        value={chosen}
        onChange={setChosen}
      />
      <TimeField
        label="Show until"
        whenEmpty="Leave empty to show it until withdrawn"
        value={until}
        onChange={setUntil}
        error={faultOf(announce.error, 'until')}
      />
      {text.trim() === '' ? null : (
        <section className="sunken-box" aria-label="Preview">
          <h3>Preview</h3>
          <div className="announcement-preview">
            <ForeignBlock text={text.trim()} />
          </div>
          <p className="small muted">
            Shown on team pages at once and in recorders at their next push. The wall shows it if it is for
            all teams.
          </p>
        </section>
      )}
    </FormDialog>
  )
}
