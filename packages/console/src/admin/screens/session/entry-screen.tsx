// Entry screen: one entry exactly as stored, with its proofs.

import { useParams } from '@tanstack/react-router'
import { StoredEntryView } from '../../../session/stored-entry.tsx'
import { Card } from '../../../show/card.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { NotesCard } from '../notes/notes-card.tsx'
import { TeamCrumbs } from './session-link.tsx'

export function EntryScreen() {
  const { team, seq } = useParams({ from: '/console/entries/$team/$seq' })
  return (
    <>
      <PageHead title={`Entry ${seq}`} crumbs={<TeamCrumbs team={team} />} />
      <Card>
        <StoredEntryView team={team} seq={seq} hasSessionLink />
      </Card>
      {/^[1-9]\d{0,14}$/.test(seq) ? (
        <NotesCard about={{ subject: 'entry', team, seq: Number(seq) }} />
      ) : null}
    </>
  )
}
