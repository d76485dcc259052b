// Start screen, for a look of five seconds: budget left, last refusal, connection.
import { formatMoney } from '../../format/money.ts'
import { ShareBars } from '../../show/bars.tsx'
import { Card } from '../../show/card.tsx'
import { ForeignId, ForeignText } from '../../show/foreign.tsx'
import { BudgetCard } from '../parts/budget-card.tsx'
import { LightsCard } from '../parts/lights-card.tsx'
import { LimitsCard } from '../parts/limits-card.tsx'
import { NewestCalls } from '../parts/newest-calls.tsx'
import { RefusalCard } from '../parts/refusal-card.tsx'
import { SubmissionCard } from '../parts/submission-card.tsx'
import { useSelf } from '../self-context.tsx'

export function NowScreen() {
  const { keys, team } = useSelf()
  const spending = keys.toSorted((one, other) => other.spend_nano - one.spend_nano).slice(0, 8)
  const total = keys.reduce((sum, { spend_nano }) => sum + spend_nano, 0)
  return (
    <>
      <h1 className="hidden-text">{team.team_alias}, now</h1>
      <div className="team-columns team-now">
        <div className="stack">
          <BudgetCard />
          <SubmissionCard />
          <RefusalCard />
          <NewestCalls />
        </div>
        <div className="stack">
          <LightsCard />
          <LimitsCard />
          <Card title="Spend by key" note="all keys of your team">
            <ShareBars
              total={total}
              shares={spending.map(({ key_id, alias, person, key_name, spend_nano }) => ({
                id: key_id,
                name: <ForeignText text={person ?? (alias === '' ? 'Team key' : alias)} most={40} />,
                note: <ForeignId text={`${person === null ? '' : alias} …${key_name.slice(-4)}`} most={40} />,
                value: spend_nano,
                shown: formatMoney(spend_nano),
              }))}
            />
          </Card>
        </div>
      </div>
    </>
  )
}
