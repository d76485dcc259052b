// Writes a request, its reply and the upstream requests as lines that a reviewer can read in a diff, without losing a byte that matters.
import { createHash } from 'node:crypto'
import type { HttpMessage } from './http-messages.ts'
import { layOutJson } from './lay-out-json.ts'
import type { RawRequest } from './send-raw.ts'
import { packHeaders, writeReplyHead, writeUpstreamHead } from './write-head.ts'

export type Exchange = {
  readonly name: string
  readonly request: RawRequest
  readonly reply: HttpMessage
  readonly upstream: readonly HttpMessage[]
  /** Further marks of how the exchange is written. */
  readonly options: WriteOptions
}

export type WriteOptions = {
  /** The body is a build (the recorder); only the head is compared. */
  readonly isBuild?: boolean
  /** The body is an OpenAPI document. `compareDocument` compares it by meaning, so body and length are left out here. */
  readonly isDocument?: boolean
  /** The body is compared only by its digest. */
  readonly isDigest?: boolean
  /** The pieces of several streams come in any order: the events are compared choice by choice. */
  readonly isMerged?: boolean
  /** The body holds durations, of one digit or more: its length is not compared. */
  readonly isTimed?: boolean
}

type Apply = (text: string) => string

const volatileHeaders: readonly string[] = ['date']
/** Headers that a build changes with every line of its sources. */
const buildHeaders: readonly string[] = ['etag', 'content-length']
const longestShownRequest = 600
const longestReadRequest = 100_000
const lineWidth = 110

export function writeExchange({ name, request, reply, upstream, options }: Exchange, apply: Apply): string {
  return [
    `=== ${name}`,
    ...writeRequest(request, options, apply),
    ...writeReply(name, reply, options, apply),
    // Parallel calls arrive in any order.
    ...upstream
      .map(message => writeUpstream(message, apply))
      .sort()
      .flat(),
    '',
  ].join('\n')
}

function writeRequest(request: RawRequest, { isBuild = false }: WriteOptions, apply: Apply): string[] {
  const { method, path, headers, body } = request
  const bytes = Buffer.from(body ?? [])
  const shown =
    bytes.length > longestReadRequest ? [digest(bytes)] : writeBody(bytes, contentType(headers), apply)
  const text = shown.join('\n')
  const lines = text.length <= longestShownRequest ? shown : [`${text.slice(0, longestShownRequest)} …`]
  return [
    apply(`> ${method} ${path}`),
    ...packHeaders(
      headers.map(([header, value]) => (isBuild ? `${header}: <any>` : apply(`${header}: ${value}`))),
    ).map(line => `> ${line}`),
    ...lines.flatMap(line => line.split('\n')).map(line => `> ${line}`),
  ]
}

function writeReply(name: string, reply: HttpMessage, options: WriteOptions, apply: Apply): string[] {
  const { start, headers, isCut } = reply
  const { isBuild = false, isDocument = false, isDigest = false, isMerged = false, isTimed = false } = options
  const hidden = [
    ...volatileHeaders,
    ...(isBuild ? buildHeaders : []),
    ...(isDocument || isTimed ? ['content-length'] : []),
  ]
  const has = (name: string) => headers.some(([header]) => header.toLowerCase() === name)
  // A stream that has ended before its first byte leaves is sent with a length: which of the two is chance. A replayed stream always has a length.
  const isStream = has('x-accel-buffering') && !has('x-gateway-original-call-id')
  const head = headers.map(([header, value]) =>
    isStream && header.toLowerCase() === 'content-length'
      ? 'Transfer-Encoding: chunked'
      : hidden.includes(header.toLowerCase())
        ? `${header}: <any>`
        : apply(`${header}: ${value}`),
  )
  const body = isMerged ? sortEvents(reply.body) : reply.body
  return [
    ...writeReplyHead(start, head, name).map(line => `< ${line}`),
    ...(isBuild || isDocument
      ? ['| <any>']
      : isDigest
        ? [`| ${digest(Buffer.from(apply(body.toString())))}`]
        : writeBody(body, contentType(headers), apply).map(line => `| ${line}`)),
    ...(isCut ? ['| <the connection was cut here>'] : []),
  ]
}

/** A request to the upstream, as one text so that requests can be sorted. */
export function writeUpstream({ start, headers, body }: HttpMessage, apply: Apply): string {
  const head = headers.map(([header, value]) => apply(`${header}: ${value}`))
  return [
    ...writeUpstreamHead(apply(start), head).map(line => `^ ${line}`),
    ...writeBody(body, contentType(headers), apply).map(line => `^| ${line}`),
  ].join('\n')
}

function contentType(headers: HttpMessage['headers']): string {
  return headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
}

/** JSON in lines if that loses nothing, other text unchanged, anything else by length and digest. */
function writeBody(body: Buffer, type: string, apply: Apply): string[] {
  if (body.length === 0) return []
  if (type.startsWith('multipart/')) return writeForm(body, apply)
  const text = body.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(body) || text.includes('\0')) return [digest(body)]
  return writeText(text, apply)
}

function writeText(text: string, apply: Apply): string[] {
  const short = shorten(apply(text))
  const value = parse(short)
  const lines = short.replaceAll('\r', '␍').split('\n')
  if (value === undefined) return lines
  // JSON.stringify would write other white space, numbers or escapes. The mark distinguishes this text from laid out JSON.
  if (JSON.stringify(value) !== short) return ['<as sent>', ...lines]
  return layOutJson(value, lineWidth)
}

/** Parts of a form between their boundaries, files by their digest. */
function writeForm(body: Buffer, apply: Apply): string[] {
  const text = body.toString('latin1')
  const boundary = text.slice(0, text.indexOf('\r\n'))
  return text.split(boundary).flatMap((part, index) => {
    const headEnd = part.indexOf('\r\n\r\n')
    if (headEnd < 0) return index === 0 ? [] : [apply(`${boundary}${part}`).replaceAll('\r\n', '␍')]
    const content = Buffer.from(part.slice(headEnd + 4, -2), 'latin1')
    const isFile = part.slice(0, headEnd).includes('filename=')
    return [
      apply(`${boundary}${part.slice(0, headEnd)}`).replaceAll('\r\n', '␍'),
      isFile ? digest(content) : apply(content.toString('utf8')),
    ]
  })
}

function digest(bytes: Buffer): string {
  return `<${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}>`
}

/** Long runs of Base64 and long lists of numbers by their length and digest. */
function shorten(text: string): string {
  return text
    .replaceAll(/[A-Za-z0-9+/_-]{200,}={0,2}/g, run => digest(Buffer.from(run)))
    .replaceAll(/\[(?:-?\d[\d.e+-]*,){20,}-?\d[\d.e+-]*\]/g, list => `"${digest(Buffer.from(list))}"`)
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}

/** The events of several choices, each choice in its own order; events without a choice keep their place at the end. */
function sortEvents(body: Buffer): Buffer {
  const events = body.toString('utf8').split('\n\n')
  const choiceOf = (event: string) => Number(/"choices":\[\{"index":(\d+)/.exec(event)?.[1] ?? 99)
  return Buffer.from(events.toSorted((left, right) => choiceOf(left) - choiceOf(right)).join('\n\n'))
}
