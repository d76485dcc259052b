// Replies with a wrong status, redirects to forbidden places, and errors that are too large, too deep or leak secrets.
import { counted, evented, type Family, paid, streamed } from '../families.ts'
import { splitPieces } from '../reshape.ts'
import {
  type Fault,
  type Faults,
  fault,
  type GoodReply,
  inflating,
  jsonType,
  leakyMessage,
  nest,
  repeat,
  secrets,
  sendChunked,
  sendJson,
  sendWhole,
  writeHead,
} from '../script.ts'

/** Includes requests that cost nothing. */
const all: readonly Family[] = [...paid, ...counted, 'poll', 'file', 'download']

const always = (does: string, play: Fault['play'], more: Pick<Fault, 'endless'> = {}): Fault =>
  fault(does, all, play, more)
const reported = (does: string, body: unknown, status = 200): Fault =>
  always(does, () => sendJson(body, status))

const vendorError = (code: number, status: string, details: readonly object[] = []) => ({
  error: { code, message: leakyMessage, status, details },
})
const quotaDetail = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'RATE_LIMIT_EXCEEDED',
  metadata: { consumer: `projects/${secrets.project}`, api_key: secrets.key },
}
const limited = (headers: Readonly<Record<string, string>>) => () =>
  sendWhole(429, JSON.stringify(vendorError(429, 'RESOURCE_EXHAUSTED', [quotaDetail])), jsonType, headers)
const redirect = (location: (good: GoodReply) => string) => (good: GoodReply) =>
  sendWhole(302, '', 'text/plain', { location: location(good) })

const zeros = new Uint8Array(1 << 20)

export const statusFaults: Faults = {
  'error-as-200': reported('an error body under status 200', vendorError(429, 'RESOURCE_EXHAUSTED')),
  'error-string-as-200': reported('an error that is a text, under status 200', { error: leakyMessage }),
  'empty-200': always('status 200 and no body', () => sendWhole(200, '')),
  'null-200': always('status 200 and null', () => sendWhole(200, 'null')),
  'object-200': always('status 200 and an empty object', () => sendWhole(200, '{}')),
  'array-200': always('status 200 and an empty list', () => sendWhole(200, '[]')),
  'text-200': always('status 200 and a JSON text', () => sendWhole(200, '"fine"')),
  'html-200': always('a proxy page under status 200', () =>
    sendWhole(200, `<html><body>Login of projects/${secrets.project}</body></html>`, 'text/html'),
  ),
  'status-201': always('a good body under status 201', good => sendWhole(201, good.bytes, good.type)),
  'status-202': always('accepted, without a body', () => sendWhole(202, '')),
  'status-204': always('no content', () => [writeHead(204, {})]),
  'status-206': always('half of the body as partial content', good =>
    sendWhole(206, good.bytes.subarray(0, good.bytes.length >> 1), good.type, {
      'content-range': `bytes 0-${(good.bytes.length >> 1) - 1}/${good.bytes.length}`,
    }),
  ),
  'status-304': always('not modified', () => [writeHead(304, {})]),
  'status-599': always('an undefined status', () => sendWhole(599, '{}')),
  'status-999': always('a status far out of range', () => sendWhole(999, '{}')),
  'redirect-loopback': always(
    'a redirect to the machine itself',
    redirect(({ trapUrl }) => trapUrl),
  ),
  'redirect-file': always(
    'a redirect to a file',
    redirect(() => 'file:///etc/passwd'),
  ),
  'redirect-metadata': always(
    'a redirect to cloud metadata',
    redirect(() => 'http://169.254.169.254/computeMetadata/v1/'),
  ),
  'redirect-nowhere': always('a redirect without an address', () => sendWhole(302, '')),
  'refused-with-secrets': reported(
    '400 that names key and project',
    vendorError(400, 'INVALID_ARGUMENT', [quotaDetail]),
    400,
  ),
  'refused-in-array': reported('400 in a list', [vendorError(400, 'INVALID_ARGUMENT')], 400),
  unauthorised: reported('401 that names the key', vendorError(401, 'UNAUTHENTICATED'), 401),
  'forbidden-html': always('403 as a page', () =>
    sendWhole(403, `<h1>Forbidden for ${secrets.key}</h1>`, 'text/html'),
  ),
  'not-found-empty': always('404 without a body', () => sendWhole(404, '')),
  'error-wrong-types': reported(
    'an error with members of wrong types',
    { error: { code: 'x', message: { a: 1 }, status: 7, details: 'none' } },
    400,
  ),
  'error-text': reported('an error that is a text', { error: leakyMessage }, 500),
  'error-null': reported('an error that is null', { error: null }, 400),
  'error-binary': always('500 and random bytes', () =>
    sendWhole(
      500,
      Uint8Array.from({ length: 4096 }, (_, index) => (index * 197) & 255),
      'application/octet-stream',
    ),
  ),
  'error-gzip-bomb': always('500 with a body that inflates to 64 MB', () =>
    sendWhole(500, inflating(), jsonType, { 'content-encoding': 'gzip' }),
  ),
  'error-large': reported(
    '400 with a message of 5 MB',
    { error: { code: 400, message: 'x'.repeat(5_000_000), status: 'INVALID_ARGUMENT' } },
    400,
  ),
  'error-deep': always('400 with a body nested 100,000 deep', () =>
    sendWhole(400, `{"error":${nest(100_000)}}`),
  ),
  'error-endless': always(
    '500 with a body that never ends',
    () => sendChunked(repeat(zeros), jsonType, 500),
    {
      endless: 'flood',
    },
  ),
  overloaded: reported('503 every time', vendorError(503, 'UNAVAILABLE'), 503),
  'overloaded-529': reported(
    '529 every time',
    { type: 'error', error: { type: 'overloaded_error', message: leakyMessage }, request_id: 'req_x' },
    529,
  ),
  limited: always('429 without a hint', limited({})),
  'retry-after-huge': always('429 with retry-after 1e300', limited({ 'retry-after': '1e300' })),
  'retry-after-digits': always(
    '429 with a retry-after of 400 digits',
    limited({ 'retry-after': '9'.repeat(400) }),
  ),
  'retry-after-negative': always('429 with a negative retry-after', limited({ 'retry-after': '-30' })),
  'retry-after-date': always(
    '429 with a date far away',
    limited({ 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
  ),
  'retry-after-fraction': always(
    '429 with a retry-after of half a second',
    limited({ 'retry-after': '0.5' }),
  ),
  'retry-after-text': always('429 with words as retry-after', limited({ 'retry-after': 'soon' })),
  'retry-info-absurd': reported(
    '429 with a RetryInfo of 1e300 s',
    vendorError(429, 'RESOURCE_EXHAUSTED', [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1e300s' },
    ]),
    429,
  ),
  'retry-info-negative': reported(
    '429 with a RetryInfo of -5 s',
    vendorError(429, 'RESOURCE_EXHAUSTED', [
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '-5s' },
    ]),
    429,
  ),
  'continue-flood': always('100 Continue a thousand times before the reply', good => [
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000),
    ...sendWhole(200, good.bytes, good.type),
  ]),
  'header-large': always('a header of 1 MB', good =>
    sendWhole(200, good.bytes, good.type, { 'x-large': 'x'.repeat(1 << 20) }),
  ),
  'headers-endless': always(
    'headers that never end',
    function* () {
      yield 'HTTP/1.1 200 OK\r\n'
      yield* repeat(`x-more: ${'x'.repeat(8000)}\r\n`)
    },
    { endless: 'flood' },
  ),
  'no-http': always('bytes that are not HTTP', () => ['Nothing that a client could read.\r\n\r\n', 'close']),
  closes: always('closes without sending anything', () => ['close']),
  resets: always('resets without sending anything', () => ['reset']),
  hangs: always('sends nothing at all', () => ['hold'], { endless: 'silent' }),
  'hangs-after-head': always(
    'sends nothing after its head',
    () => [writeHead(200, { 'content-type': jsonType, 'content-length': '100' }), 'hold'],
    { endless: 'silent' },
  ),
  'stream-as-array': fault('the whole answer in one list when events were requested', evented, good =>
    sendWhole(200, `[${splitPieces(good).join(',')}]`),
  ),
  'stream-as-text': fault('the answer as plain text when events were requested', evented, good =>
    sendWhole(200, splitPieces(good).join('\n\n').replaceAll(/[[{]/g, ''), 'text/event-stream'),
  ),
  'stream-as-json': fault('one JSON object when a stream was requested', streamed, () =>
    sendJson({ fine: true }),
  ),
}
