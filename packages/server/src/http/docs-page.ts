// Renders a door's OpenAPI document as one static HTML page: no script, no outside assets, everything escaped.
import { html, type Markup, prose, renderTable } from './html.ts'
import { nameType } from './list-schema-fields.ts'
import type { OpenapiDocument, Operation } from './openapi.ts'
import { renderOperation, type ShownOperation } from './render-operation.ts'
import { everyReply } from './reply-headers.ts'

export type PageFacts = {
  /** Shown before the operations. */
  readonly sections?: readonly PageSection[]
  /** The relative path from the page to the door's root: '' at `/docs`, '../' at `/docs/`. */
  readonly root?: '' | '../'
}

/** Renders the operations once. The returned function then assembles the page cheaply. */
export function createDocsPage(document: OpenapiDocument): (facts?: PageFacts) => string {
  const operations = listOperations(document)
  const tags = document.tags.map(tag => ({
    ...tag,
    own: operations.filter(each => each.operation.tags.includes(tag.name)),
  }))
  const url = document.servers[0]?.url ?? ''
  const { securitySchemes } = document.components
  const schemeOf = ({ security = document.security }: Operation) =>
    securitySchemes[Object.keys(security[0] ?? {})[0] ?? '']
  const contents = html`${tags.map(renderContents)}${renderGroup('replies', 'Headers and errors')}`
  const reference = html`${tags.map(
    ({ name, description, own }) => html`<section><h2 id="${anchorOf(name)}">${name}</h2>
${description === undefined ? html`` : html`<p>${prose(description)}</p>`}
${own.map(each => renderOperation(each, url, schemeOf(each.operation)))}</section>
`,
  )}${renderReplies(document)}`
  return ({ sections = [], root = '' } = {}) => {
    const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title>
<link rel="stylesheet" href="${root}docs/docs.css">
</head>
<body>
<header>
<h1>${document.info.title}</h1>
<p>${prose(document.info.description)}</p>
<p>Address: <code>${url}</code>. For machines: <a href="${root}openapi.json">openapi.json</a>.</p>
<p>The examples run as they are, in a POSIX shell, once you replace <code>&lt;secret&gt;</code> by your credential and other names in
angle brackets by your own values, such as ids.</p>
</header>
<nav aria-label="Contents">${sections.map(({ id, title }) => renderGroup(id, title))}${contents}</nav>
<main>
${sections.map(
  ({ id, title, content }) => html`<section><h2 id="${id}">${title}</h2>
${content}</section>
`,
)}${reference}</main>
</body>
</html>
`
    return page.markup
  }
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

function renderGroup(id: string, title: string): Markup {
  return html`<strong><a href="#${id}">${title}</a></strong>`
}

function renderContents({ name, own }: { name: string; own: readonly ShownOperation[] }): Markup {
  return html`${renderGroup(anchorOf(name), name)}<ul>${own.map(
    ({ method, path, operation }) =>
      html`<li><a href="#${operation.operationId}"><b>${method}</b> ${path}</a></li>`,
  )}</ul>`
}

/** The parts common to all operations: each header once, and the format of errors. */
function renderReplies({ components }: OpenapiDocument): Markup {
  const rows = Object.entries(components.headers).map(([name, { description, schema }]) => [
    html`<code id="header-${name}">${name}</code>`,
    html`${nameType(schema)}`,
    prose(everyReply.some(every => every === name) ? `On every reply. ${description}` : description),
  ])
  return html`<section><h2 id="replies">Headers and errors</h2>
<p>Errors are <code>{"error": {"message", "type", "param", "code"}}</code> unless an endpoint says otherwise. Quote
<code>x-gateway-call-id</code> when you report a problem. A method that a path does not support gets 405 and <code>allow</code>.</p>
${renderTable('Reply headers', ['Header', 'Type', ''], rows)}
</section>
`
}

function anchorOf(text: string): string {
  return `tag-${text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
}

export type PageSection = {
  /** Anchor and title, unique on the page. */
  readonly id: string
  readonly title: string
  readonly content: Markup
}

/** Called on each request of the page; the same list as before means that nothing has changed. */
export type ReadSections = () => readonly PageSection[]
