// A part of a screen with its title.
import type { ReactNode } from 'react'

export function Card({
  title,
  note,
  action,
  children,
  isFlush = false,
  className = '',
}: {
  readonly title?: ReactNode
  /** Small, behind the title. */
  readonly note?: ReactNode
  /** At the right edge. */
  readonly action?: ReactNode
  readonly children: ReactNode
  /** Without a margin, for tables. */
  readonly isFlush?: boolean
  readonly className?: string
}) {
  return (
    <section className={`card ${className}`}>
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
