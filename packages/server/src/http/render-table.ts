// A table of the reference page; it scrolls by itself where the screen is too narrow for it.
import { html, type Markup } from './html.ts'

/** Nothing for a table without rows. */
export function renderTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly Markup[])[],
): Markup {
  if (rows.length === 0) return html``
  return html`<div class="wide"><table><caption>${caption}</caption>
<thead><tr>${head.map(cell => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(
    row => html`<tr>${row.map(cell => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>
`
}
