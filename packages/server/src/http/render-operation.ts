// One operation of the reference page: what it does, an example, what it takes, answers and refuses.
import { errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import { html, type Markup, prose, renderTable } from './html.ts'
import { listSchemaFields, nameType } from './list-schema-fields.ts'
import type { Operation, ShownReply, ShownSchema } from './openapi.ts'
import { everyReply, rateHeaderNames } from './reply-headers.ts'
import type { SecurityScheme } from './route-family.ts'
import { bodyOf, writeCurl } from './write-curl.ts'

export type ShownOperation = {
  readonly method: string
  readonly path: string
  /** Further paths that answer the same. */
  readonly aliases: readonly string[]
  readonly operation: Operation
}

export function renderOperation(
  shown: ShownOperation,
  url: string,
  scheme: SecurityScheme | undefined,
): Markup {
  const { method, path, aliases, operation } = shown
  const body = bodyOf(operation)?.schema
  const replies = Object.entries(operation.responses)
  return html`<article id="${operation.operationId}">
<h3><code><b>${method}</b> ${path}</code></h3>
<p><strong>${operation.summary}.</strong> ${prose(operation.description ?? '')}</p>
${aliases.map(alias => html`<p>Also at <code>${alias}</code>.</p>`)}
<pre><code>${writeCurl({ ...shown, url, scheme })}</code></pre>
${renderTable(
  'Parameters',
  ['Name', 'In', 'Type', ''],
  (operation.parameters ?? []).map(each => [
    nameField(each.name, each.required),
    html`${each.in}`,
    html`${nameType(each.schema)}`,
    prose(each.description ?? ''),
  ]),
)}
${body === undefined ? html`` : renderFields('Body', body)}
${replies.filter(([status]) => !isOfErrors(operation, status)).map(([status, reply]) => renderReply(status, reply))}
${renderHeaders(replies)}
${renderTable(
  'Errors',
  ['Status', 'Code', ''],
  operation['x-error-codes'].map(code => [
    html`${errorRegistry[code].status}`,
    html`<code>${code}</code>`,
    prose(errorRegistry[code].message),
  ]),
)}
</article>
`
}

function isOfErrors(operation: Operation, status: string): boolean {
  return operation['x-error-codes'].some(code => errorRegistry[code].status === Number(status))
}

function renderReply(status: string, { content, description }: ShownReply): Markup {
  if (content === undefined) return html`<p class="caption">Reply ${status}: ${prose(description)}</p>`
  return { markup: [...groupForms(content)].map(each => renderForm(status, each).markup).join('') }
}

type Form = { readonly mediaTypes: string[]; readonly schema: ShownSchema }

/** Forms that differ only in their media type are shown as one. */
function groupForms(content: NonNullable<ShownReply['content']>): Iterable<Form> {
  const groups = new Map<string, Form>()
  for (const [mediaType, { schema }] of Object.entries(content)) {
    const key = JSON.stringify({ ...schema, contentMediaType: '' })
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { mediaTypes: [mediaType], schema })
    else known.mediaTypes.push(mediaType)
  }
  return groups.values()
}

function renderForm(status: string, { mediaTypes, schema }: Form): Markup {
  const note = typeof schema.description === 'string' ? schema.description : null
  const caption = `Reply ${status}, ${mediaTypes.join(', ')}`
  const fields = listSchemaFields(schema)
  if (fields.length === 0)
    return html`<p class="caption">${caption}: ${note === null ? nameType(schema) : prose(note)}</p>`
  return html`${renderFields(caption, schema, fields)}${note === null ? html`` : html`<p class="note">${prose(note)}</p>`}`
}

function renderFields(caption: string, schema: ShownSchema, fields = listSchemaFields(schema)): Markup {
  const rows = fields.map(field => [
    nameField(field.path, field.required),
    html`${field.type}`,
    prose(field.notes),
  ])
  return rows.length > 0
    ? renderTable(caption, ['Field', 'Type', ''], rows)
    : html`<p class="caption">${caption}: ${nameType(schema)}</p>`
}

/** Statuses with the same headers are one row. */
function renderHeaders(replies: readonly (readonly [string, ShownReply])[]): Markup {
  const statuses = new Map<string, string[]>()
  for (const [status, { headers }] of replies) {
    const names = shorten(Object.keys(headers)).join(' ')
    if (names !== '') statuses.set(names, [...(statuses.get(names) ?? []), status])
  }
  return renderTable(
    'Headers of replies',
    ['Status', 'Besides those of every reply'],
    [...statuses].map(([names, of]) => [
      html`${of.join(', ')}`,
      { markup: names.split(' ').map(linkHeader).join(', ') },
    ]),
  )
}

const allRates = 'x-ratelimit-*'

function shorten(names: readonly string[]): string[] {
  const own = names.filter(name => !everyReply.some(every => every === name))
  const isRate = (name: string) => rateHeaderNames.some(rate => rate === name)
  return own.some(isRate) ? [...own.filter(name => !isRate(name)), allRates] : own
}

function linkHeader(name: string): string {
  const anchor = name === allRates ? rateHeaderNames[0] : name
  return html`<a href="#header-${anchor ?? name}"><code>${name}</code></a>`.markup
}

/** Lets a browser break a long path after its dots. */
function nameField(name: string, required: boolean): Markup {
  const steps = name.split('.').map((step, index) => (index === 0 ? html`${step}` : html`.<wbr>${step}`))
  return required ? html`<code>${steps}</code> <em>required</em>` : html`<code>${steps}</code>`
}
