// One session of a team: the conversation, with buttons that cite an entry for a score.
import { SessionFacts } from '../../session/session-facts.tsx'
import { SessionViewer } from '../../session/session-view.tsx'
import { useNarrow } from '../../show/use-narrow.ts'
import { TeamCrumbs } from '../parts/team-crumbs.tsx'

export function JudgedSessionScreen({
  team,
  session,
  tool,
}: {
  readonly team: string
  readonly session: string
  readonly tool: string | undefined
}) {
  const hasMenu = useNarrow(1280)
  return (
    <SessionViewer
      team={team}
      session={session}
      tool={tool}
      crumbs={<TeamCrumbs team={team} />}
      hasMenu={hasMenu}
      renderSide={view => (
        <details className="card session-more">
          <summary>Facts about this session</summary>
          <SessionFacts view={view} />
        </details>
      )}
    />
  )
}
