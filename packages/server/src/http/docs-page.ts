// Renders a door's OpenAPI document as one static HTML page: no script, no outside assets, everything escaped.
import { errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import { buildExample } from './build-example.ts'
import { html, type Markup, prose } from './html.ts'
import { listSchemaFields, nameType } from './list-schema-fields.ts'
import type { OpenapiDocument, Operation, ShownSchema } from './openapi.ts'
import type { SecurityScheme } from './route-family.ts'

type ShownOperation = {
  readonly method: string
  readonly path: string
  /** Further paths that answer the same. */
  readonly aliases: readonly string[]
  readonly operation: Operation
}

export function renderDocsPage(document: OpenapiDocument): string {
  const operations = listOperations(document)
  const tags = document.tags.map(({ name }) => ({
    name,
    own: operations.filter(each => each.operation.tags.includes(name)),
  }))
  const url = document.servers[0]?.url ?? ''
  const { securitySchemes } = document.components
  const schemeOf = ({ security = document.security }: Operation) =>
    securitySchemes[Object.keys(security[0] ?? {})[0] ?? '']
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title>
<link rel="stylesheet" href="docs/docs.css">
</head>
<body>
<nav aria-label="Contents">${tags.map(renderContents)}</nav>
<main>
<h1>${document.info.title}</h1>
<p>${prose(document.info.description)}</p>
<p>Address: <code>${url}</code>. For machines: <a href="openapi.json">openapi.json</a>.</p>
<p>Every reply carries <code>x-gateway-call-id</code>; quote it when you report a problem.</p>
<p>Errors are <code>{"error": {"message", "type", "param", "code"}}</code> unless an endpoint says otherwise.</p>
${tags.map(
  ({ name, own }) => html`<section><h2 id="${anchorOf(name)}">${name}</h2>
${own.map(each => renderOperation(each, url, schemeOf(each.operation)))}</section>
`,
)}</main>
</body>
</html>
`
  return page.markup
}

function listOperations(document: OpenapiDocument): ShownOperation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  return all
    .filter(({ operation }) => operation['x-alias-of'] === undefined)
    .map(own => ({
      ...own,
      aliases: all
        .filter(other => other.method === own.method && other.operation['x-alias-of'] === own.path)
        .map(other => other.path),
    }))
}

function renderContents({ name, own }: { name: string; own: readonly ShownOperation[] }): Markup {
  return html`<strong><a href="#${anchorOf(name)}">${name}</a></strong><ul>${own.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}"><b>${method}</b> ${path}</a></li>`,
  )}</ul>`
}

function renderOperation(shown: ShownOperation, url: string, scheme: SecurityScheme | undefined): Markup {
  const { method, path, aliases, operation } = shown
  const body = bodyOf(operation)?.schema
  const parameters = operation.parameters ?? []
  const replies = Object.entries(operation.responses).filter(([status]) => Number(status) < 400)
  return html`<article id="${operation.operationId}">
<h3><code><b>${method}</b> ${path}</code></h3>
<p><strong>${operation.summary}.</strong> ${prose(operation.description ?? '')}</p>
${aliases.map(alias => html`<p>Also at <code>${alias}</code>.</p>`)}
<pre><code>${writeCurl(shown, url, scheme)}</code></pre>
${renderTable(
  'Parameters',
  ['Name', 'In', 'Type', ''],
  parameters.map(each => [
    nameField(each.name, each.required),
    html`${each.in}`,
    html`${nameType(each.schema)}`,
    prose(each.description ?? ''),
  ]),
)}
${body === undefined ? html`` : renderFields('Body', body)}
${replies.flatMap(([status, reply]) => Object.entries(reply.content).map(([mediaType, { schema }]) => renderFields(`Reply ${status}, ${mediaType}`, schema)))}
${renderTable(
  'Errors',
  ['Status', 'Code', ''],
  operation['x-error-codes'].map(code => [
    html`${errorRegistry[code].status}`,
    html`<code>${code}</code>`,
    html`${errorRegistry[code].message}`,
  ]),
)}
</article>
`
}

function renderFields(caption: string, schema: ShownSchema): Markup {
  const rows = listSchemaFields(schema).map(field => [
    nameField(field.path, field.required),
    html`${field.type}`,
    prose(field.notes),
  ])
  return rows.length > 0
    ? renderTable(caption, ['Field', 'Type', ''], rows)
    : html`<p class="caption">${caption}: ${nameType(schema)}</p>`
}

function nameField(name: string, required: boolean): Markup {
  return required ? html`<code>${name}</code> <em>required</em>` : html`<code>${name}</code>`
}

function renderTable(caption: string, head: readonly string[], rows: readonly (readonly Markup[])[]): Markup {
  if (rows.length === 0) return html``
  return html`<table><caption>${caption}</caption>
<thead><tr>${head.map(cell => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map(
    row => html`<tr>${row.map(cell => html`<td>${cell}</td>`)}</tr>
`,
  )}</tbody></table>`
}

function writeCurl(
  { method, path, operation }: ShownOperation,
  url: string,
  scheme: SecurityScheme | undefined,
): string {
  const required = (operation.parameters ?? []).filter(each => each.in === 'query' && each.required)
  const query = required.map(each => `${each.name}=<${each.name}>`).join('&')
  const credential = scheme?.type === 'apiKey' ? `${scheme.name}: <secret>` : 'Authorization: Bearer <secret>'
  const body = bodyOf(operation)
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoteShell(`${url}${path}${query === '' ? '' : `?${query}`}`)}`,
    `-H ${quoteShell(credential)}`,
    ...(body === undefined ? [] : writeBody(body)),
  ]
  return lines.join(' \\\n  ')
}

type ShownBody = { readonly mediaType: string; readonly schema: ShownSchema }

function bodyOf({ requestBody }: ShownOperation['operation']): ShownBody | undefined {
  const [first] = Object.entries(requestBody?.content ?? {})
  return first === undefined ? undefined : { mediaType: first[0], schema: first[1].schema }
}

function writeBody({ mediaType, schema }: ShownBody): string[] {
  const example = buildExample(schema)
  if (mediaType !== 'multipart/form-data')
    return [`-H 'Content-Type: application/json'`, `-d ${quoteShell(JSON.stringify(example))}`]
  return Object.entries(example ?? {}).map(([name, value]) => `-F ${quoteShell(`${name}=${String(value)}`)}`)
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function anchorOf(text: string): string {
  return `tag-${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
}
