// Saves the teams that the filter finds as a CSV.
import type { TeamRow, TeamsReply } from '@fairgate/contracts/console/teams.ts'
import { Button } from '@mantine/core'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useAddress } from '../../../frame/use-address.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { saveFile } from './save-file.ts'
import { writeTeamsCsv } from './write-teams-csv.ts'

/** All that the filter finds, not only what is loaded. */
export function TeamsCsvButton() {
  const { search } = useAddress()
  const { send } = usePageParts()
  const [state, setState] = useState<'idle' | 'reading' | 'failed'>('idle')
  const save = async () => {
    setState('reading')
    try {
      const rows: TeamRow[] = []
      let after: string | null = null
      do {
        const page: TeamsReply = await send<TeamsReply>('GET', '/teams', {
          // In the order of ids none is missed while figures change.
          query: { q: search.q, state: search.state, sort: 'team_id', limit: 500, after },
        })
        rows.push(...page.items)
        after = page.next
      } while (after !== null)
      saveFile('teams.csv', 'text/csv', writeTeamsCsv(rows))
      setState('idle')
    } catch {
      setState('failed')
    }
  }
  return (
    <Button
      variant="default"
      leftSection={<Download size={15} aria-hidden />}
      loading={state === 'reading'}
      onClick={() => void save()}
      aria-live="polite"
    >
      {state === 'failed' ? 'Not loaded. Try again' : 'CSV'}
    </Button>
  )
}
