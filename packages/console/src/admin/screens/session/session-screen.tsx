// Session screen: the conversation of one tool session, with a download and notes.
import { useParams, useSearch } from '@tanstack/react-router'
import { SessionFacts } from '../../../session/session-facts.tsx'
import { SessionViewer } from '../../../session/session-view.tsx'
import { useNarrow } from '../../../show/use-narrow.ts'
import { NotesCard } from '../notes/notes-card.tsx'
import { SessionFile } from './session-file.tsx'
import { TeamCrumbs } from './session-link.tsx'

export function SessionScreen() {
  const { team, session } = useParams({ from: '/console/sessions/$team/$session' })
  const { tool } = useSearch({ from: '/console/sessions/$team/$session' })
  const hasMenu = useNarrow()
  return (
    <SessionViewer
      team={team}
      session={session}
      tool={tool}
      crumbs={<TeamCrumbs team={team} />}
      hasMenu={hasMenu}
      renderActions={view => <SessionFile view={view} tool={tool} />}
      renderSide={view => (
        <SessionFacts view={view}>
          <NotesCard about={{ subject: 'session', team, session }} />
        </SessionFacts>
      )}
    />
  )
}
