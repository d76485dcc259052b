// Outline of a session: its prompts with their costs. On small screens it is a menu.
import { Kbd } from '@mantine/core'
import { formatCount } from '../format/number.ts'
import { Card } from '../show/card.tsx'
import { ForeignText } from '../show/foreign.tsx'
import { Moment } from '../show/moment.tsx'
import { Cost } from '../show/money.tsx'
import type { Turn } from './arrange-items.ts'

export function Outline({
  turns,
  total,
  activeSeq,
  goTo,
  hasMenu,
}: {
  readonly turns: readonly Turn[]
  readonly total: number
  readonly activeSeq: number | null
  readonly goTo: (seq: number) => void
  readonly hasMenu: boolean
}) {
  const list = <Turns turns={turns} total={total} activeSeq={activeSeq} goTo={goTo} />
  if (hasMenu)
    return (
      <details className="card session-more session-outline">
        <summary>
          Prompts <span className="muted small">{formatCount(total)}</span>
        </summary>
        {list}
      </details>
    )
  return (
    <Card
      className="session-outline"
      title="Prompts"
      note={formatCount(total)}
      action={
        <span className="row from-1024">
          <Kbd>j</Kbd>
          <Kbd>k</Kbd>
        </span>
      }
    >
      {list}
    </Card>
  )
}

function Turns({ turns, total, activeSeq, goTo }: Omit<Parameters<typeof Outline>[0], 'hasMenu'>) {
  return (
    <>
      <ol className="outline">
        {turns.map(({ seq, at, text, costNano, isWhole }) => (
          <li key={seq}>
            <button
              type="button"
              aria-current={seq === activeSeq ? 'true' : undefined}
              onClick={() => goTo(seq)}
            >
              <span className="row-between small">
                <Moment at={at} className="mono faint" />
                {isWhole && costNano > 0 ? <Cost nano={costNano} isStrong /> : null}
              </span>
              <span className="outline-text">
                <ForeignText text={text} most={160} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      {turns.length < total ? (
        <p className="small faint">{formatCount(total - turns.length)} more not loaded yet</p>
      ) : null}
    </>
  )
}
