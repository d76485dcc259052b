// What the time of the panel is enough for, calculated by the server from the figures in the form.
import type { PlanReply } from '@fairgate/contracts/judging/setup.ts'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { Card } from '../../../show/card.tsx'
import { LightSign } from '../../../show/light-sign.tsx'
import { Loaded } from '../../../show/states.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { readWhole } from '../team/read-fields.ts'
import type { SetupDraft } from './setup-draft.ts'

export function PlanCard({ draft }: { readonly draft: SetupDraft }) {
  const [teams, setTeams] = useState('')
  const [judges, setJudges] = useState('')
  const within = (text: string, least: number, most: number) => {
    const value = readWhole(text)
    return value !== null && value >= least && value <= most ? value : undefined
  }
  const plan = useRead(
    readOf<PlanReply>('/judging/plan', {
      team_count: within(teams, 0, 10_000),
      judge_count: within(judges, 0, 500),
      judges_per_team: within(draft.judgesPerTeam, 1, 20),
      minutes_per_team: within(draft.minutesPerTeam, 1, 480),
      // Judges who are there have minutes of their own, which one figure for all would override.
      minutes_per_judge:
        within(judges, 0, 500) === undefined ? undefined : within(draft.minutesPerJudge, 1, 10_080),
    }),
  )
  return (
    <Card title="Is the time enough?" note="as the form is now, saved or not">
      <div className="stack">
        <Loaded read={plan} what="The plan" height={120}>
          {found => (
            <>
              <div className="plan-words" aria-live="polite" data-plan>
                <LightSign
                  tone={found.enough ? 'ok' : 'warn'}
                  size={20}
                  label={found.enough ? 'enough' : 'not enough'}
                />
                <div className="stack-tight grow">
                  {found.sentences.map((sentence, at) => (
                    <p key={sentence} className={at === 0 ? 'strong' : 'muted'}>
                      {sentence}
                    </p>
                  ))}
                </div>
              </div>
              <p className="muted small">
                {countOf(found.teams, 'team')}, {countOf(found.judges, 'judge')}:{' '}
                {formatCount(found.teams * found.judges_per_team)} judgements are asked for, and the time is
                enough for {formatCount(found.places)}.
              </p>
            </>
          )}
        </Loaded>
        <div className="pair">
          <TextField
            label="Try with teams"
            placeholder={plan.data === undefined ? '' : `${plan.data.teams} now`}
            inputMode="numeric"
            value={teams}
            onChange={setTeams}
          />
          <TextField
            label="Try with judges"
            placeholder={plan.data === undefined ? '' : `${plan.data.judges} now`}
            inputMode="numeric"
            value={judges}
            onChange={setJudges}
          />
        </div>
      </div>
    </Card>
  )
}
