// How a team worked: a row of bars for each person, by tool, on one axis of time.
import type { DossierReply } from '@fairgate/contracts/judging/reading.ts'
import { formatMoney } from '../../format/money.ts'
import { countOf } from '../../format/number.ts'
import { formatTick } from '../../format/time.ts'
import { timeSteps } from '../../show/area-chart.tsx'
import { Card } from '../../show/card.tsx'
import { ForeignName, ForeignText } from '../../show/foreign.tsx'
import { Money } from '../../show/money.tsx'
import { PageLink } from '../../show/page-link.tsx'
import { useWidth } from '../../show/use-width.ts'
import { useZone } from '../../show/zone-context.tsx'
import { viewHref } from '../judge-address.ts'
import { findWorkTime, listTools, placeSpans } from './place-spans.ts'

const laneHeight = 20
/** The narrowest bar, in pixels. */
const leastWidth = 2
const colors = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5'] as const
const colorOf = (series: number): string => `var(${colors[series] ?? '--series-other'})`

export function WorkLanes({ dossier }: { readonly dossier: DossierReply }) {
  const { people, team } = dossier
  const time = findWorkTime(people)
  const tools = listTools(dossier)
  const hasUnlogged = people.some(({ spans }) => spans.some(({ logged }) => !logged))
  const hasOther = people.some(({ spans }) => spans.some(({ logged, tool }) => logged && tool === null))
  return (
    <Card title="How they worked" note="each row one person">
      <ul className="lanes">
        {people.map((person, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two people can have one name; the order is fixed.
          <li key={index}>
            <div className="row-between">
              <PageLink
                href={viewHref('sessions', { team, person: person.name })}
                className="lane-name cut"
                data-step
              >
                <ForeignName name={person.name} />
              </PageLink>
              <span className="muted small nowrap">
                {countOf(person.prompts, 'prompt')} · <Money nano={person.cost_nano} />
              </span>
            </div>
            {time === null ? null : <Lane person={person} time={time} tools={tools} />}
          </li>
        ))}
      </ul>
      {time === null ? <p className="muted">No work with a coding tool is known.</p> : <Axis {...time} />}
      <ul className="row wrap small lane-legend">
        {tools.map((tool, index) => (
          <li key={tool} className="row">
            <Swatch fill={colorOf(index)} />
            <ForeignText text={tool} most={24} />
          </li>
        ))}
        {hasOther ? (
          <li className="row">
            <Swatch fill={colorOf(tools.length)} />
            other tools
          </li>
        ) : null}
        {hasUnlogged ? (
          <li className="row">
            <svg width="14" height="12" aria-hidden>
              <rect x="1" y="1" width="12" height="10" rx="2" className="lane-unlogged" />
            </svg>
            calls without a log
          </li>
        ) : null}
      </ul>
    </Card>
  )
}

function Swatch({ fill }: { readonly fill: string }) {
  return (
    <svg width="12" height="12" aria-hidden>
      <rect width="12" height="12" rx="2" fill={fill} />
    </svg>
  )
}

type Time = { readonly from: number; readonly until: number }

function Lane({
  person: { name, spans, sessions, cost_nano },
  time,
  tools,
}: {
  readonly person: DossierReply['people'][number]
  readonly time: Time
  readonly tools: readonly string[]
}) {
  const { ref, width } = useWidth()
  const unlogged = spans.filter(({ logged }) => !logged).length
  const summary =
    `${name}: ${countOf(spans.length, 'period')} of work, ${countOf(sessions, 'session')}, ${formatMoney(cost_nano)}` +
    (unlogged === 0 ? '' : `; ${countOf(unlogged, 'period')} without a log`)
  return (
    <div ref={ref}>
      <svg className="chart" width={width} height={laneHeight} role="img" aria-label={summary}>
        <line x1="0" x2={width} y1={laneHeight / 2} y2={laneHeight / 2} stroke="var(--hair)" />
        {placeSpans(spans, time, tools).map(({ left, width: share, series }, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: bars never move.
            key={index}
            x={Math.min(left * width, width - leastWidth)}
            y="4"
            width={Math.max(leastWidth, share * width)}
            height={laneHeight - 8}
            rx="2"
            {...(series === null ? { className: 'lane-unlogged' } : { fill: colorOf(series) })}
          />
        ))}
      </svg>
    </div>
  )
}

function Axis({ from, until }: Time) {
  const zone = useZone()
  const { ref, width } = useWidth()
  return (
    <div ref={ref}>
      <svg className="chart" width={width} height="16" aria-hidden>
        {timeSteps(from, until, Math.max(2, Math.floor(width / 90))).map(at => {
          const x = ((at - from) / (until - from)) * width
          return (
            <text
              key={at}
              className="axis"
              x={Math.min(Math.max(x, 0), width)}
              y="12"
              textAnchor={x < 20 ? 'start' : x > width - 20 ? 'end' : 'middle'}
            >
              {formatTick(at, zone)}
            </text>
          )
        })}
      </svg>
    </div>
  )
}
