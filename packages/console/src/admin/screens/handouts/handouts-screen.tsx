// The sheets to print: one for each team, with the code by which its members get their keys. No key is ever on paper.

import type { MadeClaim } from '@fairgate/contracts/management/claims.ts'
import type { EventRecord } from '@fairgate/contracts/management/event.ts'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Printer } from 'lucide-react'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf } from '../../../format/number.ts'
import { Card } from '../../../show/card.tsx'
import { IconButton } from '../../../show/icon-button.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { ChooseTeams } from './choose-teams.tsx'
import { Sheet } from './sheet.tsx'

export function HandoutsScreen() {
  const mayOrganise = useMayOrganise()
  // Codes are shown once: they live as long as this screen, and nowhere else.
  const [made, setMade] = useState<readonly MadeClaim[]>([])
  const event = useRead(readOf<EventRecord>('/event'))
  if (!mayOrganise)
    return (
      <>
        <PageHead title="Hand-outs" />
        <Card>
          <Empty>Only organisers hand out claim codes.</Empty>
        </Card>
      </>
    )
  if (made.length === 0) return <ChooseTeams onMade={setMade} />
  return (
    <>
      <div className="no-print">
        <PageHead
          title="Hand-outs"
          crumbs={<Link to="/console/teams">Teams</Link>}
          beside={<span className="muted">{countOf(made.length, 'sheet')}</span>}
        >
          <Button variant="default" onClick={() => setMade([])}>
            Done, throw the codes away
          </Button>
          <IconButton icon={Printer} variant="filled" onClick={() => print()}>
            Print
          </IconButton>
        </PageHead>
        <div className="notice" data-tone="info">
          <div className="grow">
            Print or save them now: codes are shown once. When this page is left, a sheet can only be made
            again with a new code, and the old one then stops.
          </div>
        </div>
      </div>
      <Loaded read={event} what="The event" height={300}>
        {record => (
          <div className="sheets">
            {made.map(claim => (
              <Sheet key={claim.claim_id} claim={claim} event={record} />
            ))}
          </div>
        )}
      </Loaded>
    </>
  )
}
