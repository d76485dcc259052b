// Place of the scores: the right column, and on a phone a sheet over the screen, which stays as it is below.
import { Drawer } from '@mantine/core'
import { PenLine } from 'lucide-react'
import { useAddress } from '../../frame/use-address.ts'
import { ForeignText } from '../../show/foreign.tsx'
import { useNarrow } from '../../show/use-narrow.ts'
import { useQueue, useTeamName } from '../queue-context.tsx'
import { ScoringPanel } from '../scoring/scoring-panel.tsx'

/** Narrower screens have no room for a column. */
const scoreColumnFrom = 900

export function ScorePlace({ team }: { readonly team: string }) {
  const isSheet = useNarrow(scoreColumnFrom)
  const { search, change } = useAddress()
  const name = useTeamName(team)
  if (!isSheet)
    return (
      <aside className="judge-score" aria-label="Scores">
        <ScoringPanel team={team} />
      </aside>
    )
  return (
    <Drawer
      opened={search.show === 'score'}
      onClose={() => change({ show: undefined })}
      position="bottom"
      size="calc(100dvh - 52px)"
      title={
        <span className="dialog-title cut">
          <ForeignText text={name} most={40} />
        </span>
      }
      attributes={{ header: { role: 'presentation' } }}
      closeButtonProps={{ 'aria-label': 'Close', size: 44 }}
      className="judge-sheet"
    >
      <ScoringPanel team={team} />
    </Drawer>
  )
}

/** Opens the sheet. Renders nothing for a team that the judge only reads. */
export function ScoreTab({ team }: { readonly team: string }) {
  const { search, set } = useAddress()
  const { items } = useQueue()
  if (!items.some(item => item.team === team)) return null
  return (
    <button
      type="button"
      className="judge-score-tab"
      aria-expanded={search.show === 'score'}
      onClick={() => set({ show: 'score' })}
    >
      <PenLine aria-hidden />
      Score
    </button>
  )
}
