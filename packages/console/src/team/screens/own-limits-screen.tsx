// Models the team can call, their prices, and every limit with its use.
import type { SelfModels } from '@fairgate/contracts/console/self.ts'
import { readOf, useRead } from '../../api/use-read.ts'
import { formatCount } from '../../format/number.ts'
import { choosePrices, formatPrice, namePrice } from '../../format/price.ts'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { Money } from '../../show/money.tsx'
import { Empty, Loaded } from '../../show/states.tsx'
import { LimitRows } from '../parts/limits-card.tsx'
import { useSelf } from '../self-context.tsx'

export function OwnLimitsScreen() {
  const { limits_now: limits, keys } = useSelf()
  const models = useRead(readOf<SelfModels>('/self/models'))
  const windows = limits.filter(({ kind }) => kind !== 'budget')
  return (
    <>
      <h1>Models & limits</h1>
      <div className="team-columns team-limits">
        <Card title="Models" note="prices in USD, per million tokens or per item" isFlush>
          <Loaded read={models} what="The list of models" height={400}>
            {({ items }) =>
              items.length === 0 ? (
                <Empty>No models can be called now.</Empty>
              ) : (
                <ul className="model-rows">
                  {items.map(({ id, names, modality, price, context_limit, retires_on }) => (
                    <li key={id}>
                      <div className="row-between wrap">
                        <code className="strong">{id}</code>
                        <span className="muted small">
                          {modality}, {formatCount(context_limit)} tokens of context
                          {retires_on === null ? '' : `, retires ${retires_on}`}
                        </span>
                      </div>
                      <div className="small">
                        {choosePrices(price)
                          .map(([unit, usd]) => `${namePrice(unit)} ${formatPrice(unit, usd)}`)
                          .join(' · ')}
                      </div>
                      {names.length > 1 ? (
                        <div className="small faint">
                          also called {names.filter(name => name !== id).join(', ')}
                        </div>
                      ) : null}
                    </li>
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Card>
        <div className="stack">
          <Card title="Current limits">
            {windows.length === 0 ? (
              <Empty>No limits other than your budget.</Empty>
            ) : (
              <LimitRows limits={windows} />
            )}
          </Card>
          <Card title="Team keys" note="they share the budget">
            <ul className="stack">
              {keys.map(({ key_id, alias, key_name, person, spend_nano, works, is_own }) => (
                <li key={key_id} className="row-between">
                  <span className="cut">
                    <ForeignText text={person ?? (alias === '' ? 'team key' : alias)} most={40} />{' '}
                    <code className="faint">…{key_name.slice(-4)}</code>{' '}
                    {is_own ? <Badge tone="info">yours</Badge> : null}
                    {works ? null : <Badge tone="bad">inactive</Badge>}
                  </span>
                  <Money nano={spend_nano} isStrong />
                </li>
              ))}
            </ul>
          </Card>
        </div>
      </div>
    </>
  )
}
