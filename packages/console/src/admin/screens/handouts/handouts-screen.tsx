// Handouts screen: printable sheets, one per team, with the claim code for its members. Keys are never printed.

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
  // Codes are shown once, so they are kept only in this screen's state.
  const [made, setMade] = useState<readonly MadeClaim[]>([])
  const event = useRead(readOf<EventRecord>('/event'))
  if (!mayOrganise)
    return (
      <>
        <PageHead title="Handouts" />
        <Card>
          <Empty>Only organisers can hand out claim codes.</Empty>
        </Card>
      </>
    )
  if (made.length === 0) return <ChooseTeams onMade={setMade} />
  return (
    <>
      <div className="no-print">
        <PageHead
          title="Handouts"
          crumbs={<Link to="/console/teams">Teams</Link>}
          beside={<span className="muted">{countOf(made.length, 'sheet')}</span>}
        >
          <Button variant="default" onClick={() => setMade([])}>
            Done, discard codes
          </Button>
          <IconButton icon={Printer} variant="filled" onClick={() => print()}>
            Print
          </IconButton>
        </PageHead>
        <div className="notice" data-tone="info">
          <div className="grow">
            Print or save the sheets now: codes are shown only once. After you leave this page, a new sheet
            needs a new code, which stops the old one.
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
