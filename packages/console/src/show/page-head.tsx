// Head of a screen: breadcrumbs, name and main actions. Sets the window title.
import { type ReactNode, useEffect } from 'react'

export function PageHead({
  title,
  name,
  crumbs,
  beside,
  children,
}: {
  /** For the window's title; shown unless `name` is given. */
  readonly title: string
  readonly name?: ReactNode
  readonly crumbs?: ReactNode
  /** Right after the name. */
  readonly beside?: ReactNode
  /** At the right edge. */
  readonly children?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Fairgate`
  }, [title])
  return (
    <header className="page-head">
      {crumbs === undefined ? null : (
        <nav aria-label="Breadcrumbs" className="row small muted">
          {crumbs}
        </nav>
      )}
      <div className="row-between wrap">
        <div className="row wrap">
          <h1>{name ?? title}</h1>
          {beside}
        </div>
        <div className="row wrap">{children}</div>
      </div>
    </header>
  )
}
