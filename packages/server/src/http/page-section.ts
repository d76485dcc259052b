// A part of the reference page that does not come from the routes: a door brings it, the page shows it.
import type { Markup } from './html.ts'

export type PageSection = {
  /** Anchor and title, unique on the page. */
  readonly id: string
  readonly title: string
  readonly content: Markup
}

/** Called whenever the page is asked for; the same list as before means that nothing has changed. */
export type ReadSections = () => readonly PageSection[]
