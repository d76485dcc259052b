// Video operations with wrong names, contradictory states, and files that lead elsewhere or never end.
import { isObject, type Json } from '../../src/json.ts'
import type { Family } from '../families.ts'
import { reshape } from '../reshape.ts'
import {
  type Fault,
  type Faults,
  fault,
  type GoodReply,
  leakyMessage,
  repeat,
  sendJson,
  sendWhole,
  writeHead,
} from '../script.ts'

const named = (does: string, name: unknown): Fault => fault(does, ['order'], () => sendJson({ name }))
/** Shows a failed operation. */
const failed = (does: string, error: unknown): Fault =>
  polled(does, ({ name }) => ({ name, done: true, error }))
/** Changes a poll. `change` gets the real operation. */
const polled = (does: string, change: (operation: Json, good: GoodReply) => unknown): Fault =>
  fault(does, ['poll'], good => reshape(operation => change(operation, good))(good))
/** Shows a finished operation regardless of its real state. */
const finished = (operation: Json, response: unknown): object => ({
  name: operation.name,
  done: true,
  response,
})
const filesAt = (...uris: readonly unknown[]) => ({
  generateVideoResponse: { generatedSamples: uris.map(uri => ({ video: { uri } })) },
})
const redirected = (does: string, bites: readonly Family[], location: (good: GoodReply) => string): Fault =>
  fault(does, bites, good => sendWhole(302, '', 'text/plain', { location: location(good) }))
const failure = { code: 13, message: leakyMessage }
const large = new Uint8Array(1 << 18)

export const videoFaults: Faults = {
  'order-name-empty': named('an operation without a name', ''),
  'order-name-absent': named('an operation with an absent name', undefined),
  'order-name-number': named('an operation with a number as its name', 7),
  'order-name-foreign': named(
    "another caller's operation",
    'projects/other/locations/global/operations/secret',
  ),
  'order-name-climbs': named('a name that climbs out of its folder', 'operations/../../v1beta/models'),
  'order-name-address': named('an address as a name', 'http://169.254.169.254/operations/x'),
  'order-name-query': named('a name with a query', 'operations/x?key=y#z'),
  'order-name-long': named('a name of 1 MB', `operations/${'x'.repeat(1 << 20)}`),
  'order-name-shared': named(
    'the same name for every order',
    'models/veo-3.1-lite-generate-001/operations/shared',
  ),
  'order-done-at-once': fault('an order that is done at once, without a result', ['order'], good =>
    reshape(operation => ({ ...operation, done: true, error: failure }))(good),
  ),
  'poll-done-empty': polled('done without a response', ({ name }) => ({ name, done: true })),
  'poll-done-text': polled('done is a text', ({ name }) => ({ name, done: 'true', response: {} })),
  'poll-response-null': polled('done with null', operation => finished(operation, null)),
  'poll-no-files': polled('done without a file', operation => finished(operation, filesAt())),
  'poll-both': polled('an error and a file', operation => ({
    ...operation,
    done: true,
    error: failure,
    response: filesAt('x'),
  })),
  'poll-error': failed('an error that names key and project', failure),
  'poll-error-text': failed('an error that is a text', leakyMessage),
  'poll-error-odd': failed('an error with wrong types', { code: 'x', message: { a: 1 } }),
  'poll-uri-loopback': polled('a file at an address on the machine', (operation, { trapUrl }) =>
    finished(operation, filesAt(`${trapUrl}/v1beta/files/abc:download?alt=media`)),
  ),
  'poll-uri-file': polled('a file on the machine', operation =>
    finished(operation, filesAt('file:///etc/passwd')),
  ),
  'poll-uri-climbs': polled('a file id that climbs', operation =>
    finished(operation, filesAt('https://x/v1beta/files/../../models:download?alt=media')),
  ),
  'poll-uri-number': polled('a file address that is a number', operation =>
    finished(operation, filesAt(7, null)),
  ),
  'poll-uri-many': polled('a thousand files', operation => {
    const uri = /"uri":"([^"]+)"/.exec(JSON.stringify(operation))?.[1]
    return uri === undefined
      ? operation
      : finished(operation, filesAt(...Array.from({ length: 1000 }, () => uri)))
  }),
  'poll-name-changes': polled('a different name in each poll', (operation, { look }) => ({
    ...operation,
    name: `models/other/operations/look-${look}`,
  })),
  'poll-filtered-odd': polled('reasons with wrong types', operation =>
    finished(operation, {
      generateVideoResponse: { raiMediaFilteredCount: 'one', raiMediaFilteredReasons: [7, { a: 1 }] },
    }),
  ),
  'poll-filtered-secret': polled('a reason that names key and project', operation =>
    finished(operation, {
      generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [leakyMessage] },
    }),
  ),
  'poll-gone': fault('an operation that is gone at the second poll', ['poll'], good =>
    good.look > 1
      ? sendJson({ error: { code: 404, message: leakyMessage } }, 404)
      : sendWhole(200, good.bytes, good.type),
  ),
  'file-redirect-loopback': redirected(
    'a file that redirects to the machine itself',
    ['download'],
    ({ trapUrl }) => `${trapUrl}/storage/stolen`,
  ),
  'file-redirect-twice': redirected(
    'a storage that redirects to the machine itself',
    ['storage'],
    ({ trapUrl }) => trapUrl,
  ),
  'file-redirect-scheme': redirected(
    'a file that redirects to file:',
    ['download'],
    () => 'file:///etc/passwd',
  ),
  'file-redirect-self': redirected(
    'a file that redirects to itself',
    ['download'],
    () => '/v1beta/files/self:download?alt=media',
  ),
  'file-empty': fault('an empty file', ['storage'], () => sendWhole(200, '', 'video/mp4')),
  'file-html': fault('a web page in place of the file', ['storage'], () =>
    sendWhole(200, '<html>no</html>', 'text/html'),
  ),
  'file-gone': fault('a file that is gone', ['download', 'storage'], () =>
    sendJson({ error: { code: 404, message: leakyMessage } }, 404),
  ),
  'file-unavailable': fault('a storage that is never available', ['storage'], () =>
    sendJson({ error: { code: 503, message: 'later' } }, 503),
  ),
  'file-short': fault('a file that ends early', ['storage'], ({ bytes }) => [
    writeHead(200, { 'content-type': 'video/mp4', 'content-length': String(bytes.length + 1000) }),
    bytes,
    'close',
  ]),
  'file-wrong-range': fault('an unrequested range', ['storage'], ({ bytes }) =>
    sendWhole(206, bytes.subarray(0, 10), 'video/mp4', { 'content-range': 'bytes 5-1/0' }),
  ),
  'file-facts-odd': fault('file metadata with wrong types', ['file'], good =>
    reshape(facts => ({
      ...facts,
      sizeBytes: -1,
      uri: 'file:///etc/passwd',
      downloadUri: good.trapUrl,
      name: 7,
    }))(good),
  ),
  'file-endless': {
    does: 'a file that never ends',
    bites: ['storage'],
    endless: 'flood',
    play: function* () {
      yield writeHead(200, { 'content-type': 'video/mp4', connection: 'close' })
      yield* repeat(large)
    },
  },
  'poll-hangs': fault('does not answer a poll', ['poll'], () => ['hold'], { endless: 'silent' }),
}

/** The id of a file or an operation, so that a fault stays with a video from its order to its file. */
export function namesIn(value: unknown): string[] {
  const text = isObject(value) ? JSON.stringify(value) : ''
  return [...text.matchAll(/(?:operations|files)\/([\w-]+)/g)].map(([, id = '']) => id)
}
