// One note: who wrote it and when, its text, and how its author changes or deletes it.

import type { Note, NoteReply } from '@fairgate/contracts/management/notes.ts'
import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { MoreHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useAct } from '../../api/use-read.ts'
import { AskDialog } from '../../show/ask-dialog.tsx'
import { ForeignBlock, ForeignName, ForeignText } from '../../show/foreign.tsx'
import { Moment } from '../../show/moment.tsx'
import { ChangedNote } from './note-form.tsx'

/** `isAlone`: it stands in a list of all, and so says what it is about. */
export function NoteItem({ note, isAlone = false }: { readonly note: Note; readonly isAlone?: boolean }) {
  const { note_id: id, author, text, may_change, created_at, updated_at } = note
  const [doing, setDoing] = useState<'changing' | 'deleting' | null>(null)
  const remove = useAct<string | null, NoteReply>({
    method: 'DELETE',
    path: `/notes/${encodeURIComponent(id)}`,
    query: reason => (reason === null ? {} : { reason }),
    changes: ['/notes'],
  })
  return (
    <li className="stack" data-note={id}>
      <div className="row-between">
        <span className="small">
          <span className="strong">
            <ForeignName name={author} most={40} />
          </span>{' '}
          <span className="muted">
            <Moment at={created_at} as="ago" />
            {updated_at === created_at ? '' : ', changed'}
            {isAlone ? (
              <>
                {', on '}
                <NotePlace note={note} />
              </>
            ) : null}
          </span>
        </span>
        {may_change ? (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label="Change or delete this note">
                <MoreHorizontal size={14} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setDoing('changing')}>Change…</Menu.Item>
              <Menu.Item color="red" onClick={() => setDoing('deleting')}>
                Delete…
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : null}
      </div>
      {doing === 'changing' ? (
        <ChangedNote noteId={id} text={text} onClose={() => setDoing(null)} />
      ) : (
        <ForeignBlock text={text} />
      )}
      {doing === 'deleting' ? (
        <AskDialog
          title="Delete this note?"
          verb="Delete the note"
          isDanger
          act={reason => remove.mutateAsync(reason)}
          onClose={() => setDoing(null)}
        >
          Nobody reads it any more. The audit keeps its text.
        </AskDialog>
      ) : null}
    </li>
  )
}

function NotePlace({ note: { subject, team_id: team, session_id: session, seq } }: { readonly note: Note }) {
  if (subject === 'entry' && seq !== null)
    return (
      <Link to="/console/entries/$team/$seq" params={{ team, seq: String(seq) }}>
        entry {seq} of <ForeignText text={team} most={40} />
      </Link>
    )
  if (subject === 'session' && session !== null)
    return (
      <Link to="/console/sessions/$team/$session" params={{ team, session }}>
        a session of <ForeignText text={team} most={40} />
      </Link>
    )
  return (
    <Link to="/console/teams/$team" params={{ team }}>
      <ForeignText text={team} most={40} />
    </Link>
  )
}
