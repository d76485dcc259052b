// Renders one operation of the reference page: summary, example, parameters, replies and errors.
import { errorRegistry } from '@fairgate/contracts/errors/registry.ts'
import { html, type Markup, prose, renderTable } from './html.ts'
import { listSchemaFields, nameType } from './list-schema-fields.ts'
import { type Operation, runtimeReplies, type ShownReply } from './openapi.ts'
import type { ShownSchema } from './reply-headers.ts'
import { everyReply, rateHeaderNames } from './reply-headers.ts'
import type { SecurityScheme } from './route-family.ts'

export type ShownOperation = {
  readonly method: string
  readonly path: string
  /** More paths with the same behaviour. */
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
  const replies = Object.entries(operation.responses).filter(([status]) => !(status in runtimeReplies))
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
    'Reply headers',
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

// The curl example of an operation: required values, with working ones if the schemas name some.

type ExampleFacts = {
  readonly method: string
  readonly path: string
  /** The door's address, without a trailing slash. */
  readonly url: string
  /** Absent if the operation needs no credential. */
  readonly scheme: SecurityScheme | undefined
  readonly operation: Operation
}

/** `<secret>` stands for the credential, `<name>` for values that only the caller knows. */
function writeCurl({ method, path, url, scheme, operation }: ExampleFacts): string {
  const body = bodyOf(operation)
  const address = `${url}${fillPath(path, operation)}${writeQuery(operation)}`
  const file = saves(operation)
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoteShell(address)}`,
    ...(scheme === undefined ? [] : writeCredential(scheme, method)),
    ...(body === undefined ? [] : writeBody(body)),
    ...(file === null ? [] : [`-o ${file}`]),
  ].join(' \\\n  ')
}

function writeCredential(scheme: SecurityScheme, method: string): string[] {
  const { type } = scheme
  if (type === 'http') return [`-H ${quoteShell('Authorization: Bearer <secret>')}`]
  if (scheme.in === 'header') return [`-H ${quoteShell(`${scheme.name}: <secret>`)}`]
  const cookie = `-b ${quoteShell(`${scheme.name}=<session>`)}`
  // Only a page of the door may change something by a cookie; this header says that it is one.
  return method === 'GET' ? [cookie] : [cookie, `-H ${quoteShell('Sec-Fetch-Site: same-origin')}`]
}

type ShownBody = { readonly mediaType: string; readonly schema: ShownSchema }

/** The first form of the body. */
function bodyOf({ requestBody }: Operation): ShownBody | undefined {
  const [first] = Object.entries(requestBody?.content ?? {})
  return first === undefined ? undefined : { mediaType: first[0], schema: first[1].schema }
}

function fillPath(path: string, { parameters = [] }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    return parameters.find(each => each.in === 'path' && each.name === name)?.example ?? `<${name}>`
  })
}

/** The required members, and those worth showing. */
function writeQuery({ parameters = [] }: Operation): string {
  const shown = parameters.filter(
    each => each.in === 'query' && (each.required || each.schema.examples !== undefined),
  )
  const pairs = shown.map(({ name, schema }) => `${name}=${encodeValue(String(buildExample(schema, name)))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Escapes what a URL needs escaped; `:`, `,` and `/` stay readable, and so does a value to fill in. */
function encodeValue(value: string): string {
  if (/^<\w+>$/.test(value)) return value
  return encodeURIComponent(value).replaceAll(/%(?:3A|2C|2F)/g, decodeURIComponent)
}

const fileNames: Readonly<Record<string, string>> = { 'audio/mpeg': 'speech.mp3', 'video/mp4': 'video.mp4' }

/** The output file of a reply that a terminal cannot show. */
function saves({ responses }: Operation): string | null {
  const [mediaType = ''] = Object.keys(responses[200]?.content ?? {})
  return fileNames[mediaType] ?? null
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

/** The schema's own example or default if it has one; required members only. */
function buildExample(schema: unknown, name = ''): unknown {
  if (!isSchema(schema)) return 'text'
  const { examples, default: preset, enum: values, const: constant, anyOf: branches } = schema
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  if (preset !== undefined) return preset
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(branches)) return buildExample(branches[0], name)
  switch (schema.type) {
    case 'object':
      return buildObject(schema)
    case 'array':
      return [buildExample(schema.items, name.replace(/s$/, ''))]
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    default:
      return name === '' ? 'text' : `<${name}>`
  }
}

function buildObject(schema: ShownSchema): Record<string, unknown> {
  const { properties, required } = schema
  if (!isSchema(properties) || !Array.isArray(required)) return {}
  return Object.fromEntries(
    required.map(name => [String(name), buildExample(properties[String(name)], String(name))]),
  )
}

function isSchema(value: unknown): value is ShownSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
