// Writes HTML that is safe from injection: every value is escaped unless it is markup created here.

export type Markup = { readonly markup: string }

type Part = string | number | Markup | readonly Markup[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => entities[character] ?? character)
}

/** Template tag: text is escaped, markup and lists of markup are inserted unchanged. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { markup: strings.map((text, index) => text + render(parts[index])).join('') }
}

function render(part: Part | undefined): string {
  if (part === undefined) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  return 'markup' in part ? part.markup : part.map(each => each.markup).join('')
}

/** Text of a description; text in backticks is shown as code. */
export function prose(text: string): Markup {
  const pieces = text.split('`')
  // An odd number of backticks is not markup: the text is shown as is.
  if (pieces.length % 2 === 0) return html`${text}`
  return {
    markup: pieces
      .map((piece, index) => (index % 2 === 0 ? html`${piece}` : html`<code>${piece}</code>`).markup)
      .join(''),
  }
}

/** A table of the reference page; it scrolls by itself if the screen is too narrow for it. Empty without rows. */
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
