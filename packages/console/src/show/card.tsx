// A titled section of a screen.
import type { HTMLAttributes, ReactNode } from 'react'

export function Card({
  title,
  note,
  action,
  children,
  isFlush = false,
  className = '',
  hands = {},
}: {
  readonly title?: ReactNode
  /** In small print after the title. */
  readonly note?: ReactNode
  /** At the right edge. */
  readonly action?: ReactNode
  readonly children: ReactNode
  /** Without a margin, for tables. */
  readonly isFlush?: boolean
  readonly className?: string
  /** Listeners for pointer and focus entering and leaving. */
  readonly hands?: Pick<
    HTMLAttributes<HTMLElement>,
    'onPointerEnter' | 'onPointerLeave' | 'onFocus' | 'onBlur'
  >
}) {
  return (
    <section className={`card ${className}`} {...hands}>
      {title === undefined ? null : (
        <div className="card-head">
          <div className="row wrap">
            <h2>{title}</h2>
            {note === undefined ? null : <span className="muted small">{note}</span>}
          </div>
          {action}
        </div>
      )}
      <div className={isFlush ? 'card-flush' : 'card-body'}>{children}</div>
    </section>
  )
}
