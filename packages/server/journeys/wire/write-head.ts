// Writes the headers of a message in few lines. Heads that many messages share have names, and the legend of each golden file lists them.
import { upstreamKey } from './upstream-tap.ts'

type UsualHead = {
  readonly name: string
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** `Content-Length` is the last header. */
  readonly isSized: boolean
}

const lineWidth = 110
const separator = ' ⏎ '

const json = 'Content-Type: application/json;charset=utf-8'
const bareJson = 'Content-Type: application/json'
const events = 'Content-Type: text/event-stream; charset=utf-8'
const noSniff = 'X-Content-Type-Options: nosniff'
const noStore = 'Cache-Control: no-store'
const exchangeId = '<id of the exchange>'
const after = [`x-gateway-call-id: ${exchangeId}`, 'Date: <any>']
const fetchHeaders = [
  'Connection: keep-alive',
  `User-Agent: Bun/${Bun.version}`,
  'Accept: */*',
  'Host: <upstream>',
]
const notPacked = 'Accept-Encoding: identity'

/** Tried in this order. */
const usualReplies: readonly UsualHead[] = [
  { name: 'json', before: [json, noSniff], after, isSized: true },
  { name: 'json, not stored', before: [noStore, json, noSniff], after, isSized: true },
  {
    name: 'events',
    before: [events, 'Cache-Control: no-cache', noSniff, 'x-accel-buffering: no'],
    after: [...after, 'Transfer-Encoding: chunked'],
    isSized: false,
  },
]

const usualRequests: readonly UsualHead[] = [
  {
    name: 'gemini',
    before: [notPacked, bareJson, `x-goog-api-key: ${upstreamKey}`],
    after: fetchHeaders,
    isSized: true,
  },
  {
    name: 'openai',
    before: [notPacked, `Authorization: Bearer ${upstreamKey}`, bareJson],
    after: fetchHeaders,
    isSized: true,
  },
  { name: 'with a body', before: [notPacked], after: fetchHeaders, isSized: true },
  { name: 'without a body', before: [notPacked], after: fetchHeaders, isSized: false },
]

/** `start` is the first line of the message. */
export function writeReplyHead(start: string, headers: readonly string[], exchange: string): string[] {
  return writeHead(start, headers, usualReplies, `<id of ${exchange}>`)
}

export function writeUpstreamHead(start: string, headers: readonly string[]): string[] {
  return writeHead(start, headers, usualRequests, '')
}

/** Puts multiple headers on each line. */
export function packHeaders(headers: readonly string[]): string[] {
  const lines: string[] = []
  for (const header of headers) {
    const last = lines.at(-1)
    const longer = `${last}${separator}${header}`
    if (last === undefined || longer.length > lineWidth) lines.push(header)
    else lines[lines.length - 1] = longer
  }
  return lines
}

/** Explains the short forms; each golden file begins with it. */
export function writeLegend(): string[] {
  const write = (sign: string, { name, before, after, isSized }: UsualHead) => {
    const [mark, size] = isSized ? [`${name}, N bytes`, ['Content-Length: N']] : [name, []]
    return `# ${sign} ${mark} = ${[...before, '…', ...after, ...size].join(separator)}`
  }
  return [
    '# Names of usual heads. Headers below a name replace "…". A message that lacks one of the usual headers has no name.',
    ...usualReplies.map(head => write('<', head)),
    ...usualRequests.map(head => write('^', head)),
    `# x-ratelimit-*-requests: L, M, S = ${['limit-requests: L', 'remaining-requests: M', 'reset-requests: S'].map(line => `x-ratelimit-${line}`).join(separator)}; the same for tokens`,
    '',
  ]
}

function writeHead(
  start: string,
  headers: readonly string[],
  usual: readonly UsualHead[],
  id: string,
): string[] {
  for (const head of usual) {
    const size = head.isSized ? /^Content-Length: (\S+)$/.exec(headers.at(-1) ?? '')?.[1] : null
    const others =
      size === undefined ? null : findOthers(head, size === null ? headers : headers.slice(0, -1), id)
    if (others === null) continue
    const mark = size === null ? head.name : `${head.name}, ${size} bytes`
    return [`${start}, ${mark}`, ...packHeaders(foldRateLimits(others))]
  }
  return [start, ...packHeaders(foldRateLimits(headers))]
}

/** The headers in place of "…", or null if a usual header is missing. */
function findOthers(
  { before, after }: UsualHead,
  headers: readonly string[],
  id: string,
): readonly string[] | null {
  const end = headers.length - after.length
  if (end < before.length) return null
  const isUsual =
    before.every((line, index) => headers[index] === line) &&
    after.every((line, index) => headers[end + index] === line.replace(exchangeId, id))
  return isUsual ? headers.slice(before.length, end) : null
}

/** Writes the three headers of a rate limit as one. */
function foldRateLimits(headers: readonly string[]): readonly string[] {
  const folded: string[] = []
  for (let at = 0; at < headers.length; at += 1) {
    const three =
      /^x-ratelimit-limit-(\w+): (\S+)\nx-ratelimit-remaining-\1: (\S+)\nx-ratelimit-reset-\1: (\S+)$/.exec(
        headers.slice(at, at + 3).join('\n'),
      )
    if (three === null) {
      folded.push(headers[at] ?? '')
      continue
    }
    const [, kind, ...figures] = three
    folded.push(`x-ratelimit-*-${kind}: ${figures.join(', ')}`)
    at += 2
  }
  return folded
}
