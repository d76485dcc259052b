// Operations as the vendor really answers them become the status of the video.
import { expect, test } from 'bun:test'
import { mapOperation, readFileId, readOperationName } from './map-video.ts'

const uri = 'https://generativelanguage.googleapis.com/v1beta/files/abc-1:download?alt=media'
const done = (response: object) => ({ name: 'models/m/operations/1', done: true, response })

test.each([
  ['no body at all', null, { state: 'running' }],
  ['a name only', { name: 'models/m/operations/1' }, { state: 'running' }],
  ['done: false', { name: 'n', done: false, metadata: {} }, { state: 'running' }],
  [
    'a video',
    done({ generateVideoResponse: { generatedSamples: [{ video: { uri } }] } }),
    { state: 'completed', files: ['abc-1'] },
  ],
  [
    'a video in the newer spelling',
    done({ generatedVideos: [{ video: { uri } }] }),
    { state: 'completed', files: ['abc-1'] },
  ],
  [
    'one of two filtered',
    done({ generateVideoResponse: { generatedSamples: [{ video: { uri } }], raiMediaFilteredCount: 1 } }),
    { state: 'completed', files: ['abc-1'] },
  ],
  [
    'filtered',
    done({ generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['Not this.'] } }),
    { state: 'failed', failure: { code: 'content_policy_violation', message: 'Not this.' } },
  ],
  [
    'a wrong order',
    { done: true, error: { code: 3, message: 'Bad prompt.' } },
    { state: 'failed', failure: { code: 'upstream_rejected', message: 'Bad prompt.' } },
  ],
  [
    'no capacity',
    { done: true, error: { code: 8, message: 'Busy.' } },
    { state: 'failed', failure: { code: 'upstream_overloaded', message: 'Busy.' } },
  ],
  [
    'an error without a message',
    { done: true, error: { code: 13 } },
    { state: 'failed', failure: { code: 'upstream_error', message: 'The model provider gave no reason.' } },
  ],
])('%s', (_, reply, expected) => {
  expect(mapOperation(reply)).toEqual(expected as ReturnType<typeof mapOperation>)
})

test.each([[done({})], [done({ generateVideoResponse: { generatedSamples: [{ video: {} }] } })]])(
  'done without a file has failed',
  reply => {
    expect(mapOperation(reply)).toMatchObject({ state: 'failed', failure: { code: 'upstream_error' } })
  },
)

test.each([
  [uri, 'abc-1'],
  ['http://127.0.0.1:9/v1beta/files/x_Y', 'x_Y'],
  ['https://example.org/files/abc', null],
  ['https://example.org/v1beta/files/../keys', null],
  ['', null],
])('the file in %s', (address, id) => {
  expect(readFileId(address)).toBe(id)
})

test.each([
  [{ name: 'models/veo-3/operations/abc' }, 'models/veo-3/operations/abc'],
  [{ name: 'operations/abc' }, 'operations/abc'],
  [{ name: 'models/veo/operations/../../keys' }, null],
  [{}, null],
])('the name in %j', (reply, name) => {
  expect(readOperationName(reply)).toBe(name)
})
