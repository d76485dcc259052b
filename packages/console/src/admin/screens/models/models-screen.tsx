// Models screen: models with prices and spend, and the state of their upstreams and keys.

import type { UpstreamsReply } from '@fairgate/contracts/console/upstreams.ts'
import type { CatalogList, CatalogModelRecord } from '@fairgate/contracts/management/catalog.ts'
import type { SpendReport } from '@fairgate/contracts/spend/spend-report.ts'
import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf, formatCount, formatShare } from '../../../format/number.ts'
import { formatPrice, formatUsd, namePrice } from '../../../format/price.ts'
import { formatDuration } from '../../../format/time.ts'
import { useAddress } from '../../../frame/use-address.ts'
import { useServerNow } from '../../../live/live-context.tsx'
import { Badge } from '../../../show/badge.tsx'
import { Card } from '../../../show/card.tsx'
import type { Column } from '../../../show/data-table.tsx'
import { SideDialog } from '../../../show/dialog.tsx'
import { FactList, type Facts } from '../../../show/facts.tsx'
import { Light, type LightTone } from '../../../show/light.tsx'
import { TableCard } from '../../../show/list.tsx'
import { Moment } from '../../../show/moment.tsx'
import { Money } from '../../../show/money.tsx'
import { PageHead } from '../../../show/page-head.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'
import { useMayRead, useSession } from '../../session-context.tsx'
import { describeRetirement } from './describe-retirement.ts'
import { EditModel } from './edit-model.tsx'
import { ReloadButton } from './reload-button.tsx'
import { RemoveModel } from './remove-model.tsx'

export function ModelsScreen() {
  const { role } = useSession()
  const { search, set } = useAddress()
  const openId = search.model
  const catalog = useRead(readOf<CatalogList>('/catalog'))
  const spend = useRead(readOf<SpendReport>('/spend', { by: 'model', limit: 500 }), {
    everyMs: 30_000,
    isOff: !useMayRead('organisers'),
  })
  const mayReload = useMayRead('operators')
  const rows = (catalog.data?.models ?? []).map(model => ({
    model,
    spent: spend.data?.items.find(item => item.model === model.id),
  }))
  const shown = rows.find(({ model }) => model.id === openId)
  return (
    <>
      <PageHead title="Models & upstreams">{mayReload ? <ReloadButton /> : null}</PageHead>
      {mayReload ? <Upstreams /> : null}
      <TableCard
        title="Models"
        note={catalog.data === undefined ? '' : countOf(catalog.data.models.length, 'model')}
        read={catalog}
        rows={rows}
        what="The list of models"
        height={400}
        none="No models configured"
        caption="Models with prices"
        columns={columns}
        idOf={({ model }) => model.id}
        open={({ model }) => set({ model: model.id })}
        openId={openId ?? null}
      />
      {shown === undefined ? null : (
        <SideDialog title={<code>{shown.model.id}</code>} onClose={() => set({ model: undefined })}>
          <ModelDetail model={shown.model} mayEdit={role === 'organiser'} />
        </SideDialog>
      )}
    </>
  )
}

type Row = { readonly model: CatalogModelRecord; readonly spent: SpendReport['items'][number] | undefined }

const columns: readonly Column<Row>[] = [
  { id: 'model', head: 'Model', cell: ({ model }) => <code>{model.id}</code> },
  { id: 'kind', head: 'Kind', from: 768, cell: ({ model }) => model.modality },
  {
    id: 'price',
    head: 'Price',
    cell: ({ model }) => <span className="nowrap">{describePrice(model.price)}</span>,
  },
  { id: 'upstream', head: 'Upstream', from: 1024, cell: ({ model }) => model.upstream },
  {
    id: 'limit',
    head: 'Limit, all teams',
    from: 1024,
    cell: ({ model: { rpm_limit: rpm, tpm_limit: tpm } }) =>
      rpm === null && tpm === null ? (
        <span className="faint">none</span>
      ) : (
        [
          rpm === null ? null : `${formatCount(rpm)}/min`,
          tpm === null ? null : `${formatCount(tpm)} tokens/min`,
        ]
          .filter(each => each !== null)
          .join(', ')
      ),
  },
  { id: 'retires', head: 'Retires', from: 600, cell: ({ model }) => <Retirement on={model.retires_on} /> },
  { id: 'calls', head: 'Calls', isEnd: true, from: 600, cell: ({ spent }) => formatCount(spent?.calls ?? 0) },
  {
    id: 'spent',
    head: 'Spent',
    isEnd: true,
    from: 768,
    cell: ({ spent }) => <Money nano={spent?.cost_nano ?? 0} isStrong />,
  },
]

function describePrice(price: CatalogModelRecord['price']): string {
  const { input, output } = price
  if (input !== undefined && output !== undefined)
    return `${formatUsd(input)} in, ${formatUsd(output)} out / 1 M`
  const [first] = Object.entries(price)
  return first === undefined ? 'free' : formatPrice(...first)
}

function Retirement({ on }: { readonly on: string | null }) {
  const now = useServerNow(60_000)
  const found = describeRetirement(on, now)
  if (found === null) return <span className="faint">–</span>
  return found.tone === 'plain' ? found.text : <Badge tone={found.tone}>{found.text}</Badge>
}

function ModelDetail({ model, mayEdit }: { readonly model: CatalogModelRecord; readonly mayEdit: boolean }) {
  const [editing, setEditing] = useState<'this' | 'new' | 'remove' | null>(null)
  const facts: Facts = [
    ['Names', [model.id, ...model.aliases].join(', ')],
    ['Upstream', `${model.upstream}, as ${model.upstream_id}`],
    ['Fallbacks', model.fallbacks.length === 0 ? 'none' : model.fallbacks.join(', then ')],
    ['Context', `${formatCount(model.context_limit)} tokens`],
    [
      'Output',
      model.max_output === 0 ? 'not counted in tokens' : `max ${formatCount(model.max_output)} tokens`,
    ],
    ['Reasoning', model.reasoning],
    ['Retires', <Retirement key="retires" on={model.retires_on} />],
  ]
  return (
    <div className="stack">
      <FactList facts={facts} />
      <h3>Prices</h3>
      <Prices prices={model.price} />
      {Object.entries(model.price_above).map(([tokens, prices]) => (
        <div key={tokens}>
          <h3>Prompts over {formatCount(Number(tokens))} tokens</h3>
          <Prices prices={prices} />
        </div>
      ))}
      <span className="row">
        <Link to="/console/spend" search={{ by: 'team', model: model.id }}>
          View spend by team
        </Link>
        <Link to="/console/calls" search={{ model: model.id }}>
          View calls
        </Link>
      </span>
      {mayEdit && !model.id.includes('*') ? (
        <span className="row">
          <Button variant="default" onClick={() => setEditing('this')}>
            Edit…
          </Button>
          <Button variant="default" onClick={() => setEditing('new')}>
            Add a similar model…
          </Button>
          <Button variant="outline" color="red" onClick={() => setEditing('remove')}>
            Remove…
          </Button>
        </span>
      ) : null}
      {editing === null ? null : editing === 'remove' ? (
        <RemoveModel model={model.id} onClose={() => setEditing(null)} />
      ) : (
        <EditModel model={model} isNew={editing === 'new'} onClose={() => setEditing(null)} />
      )}
    </div>
  )
}

function Prices({ prices }: { readonly prices: CatalogModelRecord['price'] }) {
  return (
    <FactList
      facts={Object.entries(prices).map(([unit, usd]) => [namePrice(unit), formatPrice(unit, usd)])}
    />
  )
}

const faults: Readonly<Record<string, string>> = {
  refused: 'rejected by the upstream',
  exhausted: 'quota used up',
  busy: 'the upstream asked to wait',
}

function Upstreams() {
  const upstreams = useRead(readOf<UpstreamsReply>('/upstreams'), { everyMs: 10_000 })
  return (
    <Loaded read={upstreams} what="The list of upstreams" height={120}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty>No upstreams configured</Empty>
        ) : (
          <div className="grid cards-2">
            {items.map(
              ({ upstream, models, last_outcome, keys, calls_per_min, errors_share, latency_ms }) => {
                const resting = keys.filter(({ state }) => state === 'resting').length
                const tone: LightTone =
                  last_outcome === null
                    ? 'none'
                    : resting === keys.length && resting > 0
                      ? 'blocked'
                      : resting > 0 || (errors_share ?? 0) > 0.05
                        ? 'warn'
                        : 'ok'
                return (
                  <Card
                    key={upstream}
                    title={
                      <span className="row">
                        <Light tone={tone} label={upstream} />
                        {upstream}
                      </span>
                    }
                    note={countOf(models.length, 'model')}
                  >
                    <div className="figures">
                      <Figure name="Calls" value={`${calls_per_min}/min`} />
                      <Figure name="Errors" value={formatShare(errors_share)} />
                      <Figure
                        name="Median latency"
                        value={latency_ms.p50 === null ? '–' : formatDuration(latency_ms.p50)}
                        note={latency_ms.p95 === null ? '' : `p95 ${formatDuration(latency_ms.p95)}`}
                      />
                    </div>
                    <ul className="stack">
                      {keys.map(({ id, key, state, fault, next_trial_at }) => (
                        <li key={id} className="row-between">
                          <span>
                            <code>{id}</code> {key === null ? null : <code className="faint">{key}</code>}
                          </span>
                          {state === 'ready' ? (
                            <Badge tone="ok">ready</Badge>
                          ) : (
                            <span className="row wrap">
                              <Badge tone="warn">resting: {faults[fault ?? ''] ?? fault}</Badge>
                              <span className="muted small">
                                next try at <Moment at={next_trial_at} as="clock" />
                              </span>
                            </span>
                          )}
                        </li>
                      ))}
                    </ul>
                  </Card>
                )
              },
            )}
          </div>
        )
      }
    </Loaded>
  )
}

function Figure({
  name,
  value,
  note = '',
}: {
  readonly name: string
  readonly value: string
  readonly note?: string
}) {
  return (
    <div>
      <div className="muted small">{name}</div>
      <div className="figure">{value}</div>
      <div className="faint small">{note}</div>
    </div>
  )
}
