// Downloads the teams that match the filter as CSV.

import { Download } from 'lucide-react'
import { useState } from 'react'
import { useAddress } from '../../../frame/use-address.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { readAllTeams } from './read-all-teams.ts'
import { saveFile } from './save-file.ts'
import { writeTeamsCsv } from './write-teams-csv.ts'

/** Includes all matches, not only those loaded. */
export function TeamsCsvButton() {
  const { search } = useAddress()
  const { send } = usePageParts()
  const [state, setState] = useState<'idle' | 'reading' | 'failed'>('idle')
  const save = async () => {
    setState('reading')
    try {
      const rows = await readAllTeams(send, search)
      saveFile('teams.csv', 'text/csv', writeTeamsCsv(rows))
      setState('idle')
    } catch {
      setState('failed')
    }
  }
  return (
    <IconButton icon={Download} loading={state === 'reading'} onClick={() => void save()} aria-live="polite">
      {state === 'failed' ? 'Download failed. Try again' : 'CSV'}
    </IconButton>
  )
}
