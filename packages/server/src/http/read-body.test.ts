// Bodies: refused before they are read, while they are read, and when they are parsed.
import { describe, expect, test } from 'bun:test'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { createJsonReader, parseJson, readBytes } from './read-body.ts'

const json = { 'content-type': 'application/json' }

const readJson = async (request: Request) => createJsonReader()(request)

function request(body: RequestInit['body'] | null, headers: Record<string, string> = json): Request {
  return new Request('http://door.test/', { method: 'POST', body, headers })
}

/** A chunked body: no Content-Length. */
function chunks(...parts: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const waiting = [...parts]
  return new ReadableStream({
    pull: controller => {
      const part = waiting.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(typeof part === 'string' ? new TextEncoder().encode(part) : part)
    },
  })
}

async function codeOf(reading: Promise<unknown>): Promise<string> {
  try {
    await reading
    return 'read'
  } catch (error) {
    return error instanceof ApiError ? error.code : `not an ApiError: ${error}`
  }
}

test.each([
  ['application/json', 'read'],
  ['application/json; charset=utf-8', 'read'],
  ['Application/JSON', 'read'],
  ['application/vnd.api+json', 'read'],
  ['text/plain', 'unsupported_media_type'],
  ['application/jsonx', 'unsupported_media_type'],
  ['multipart/form-data; boundary=x', 'unsupported_media_type'],
])('content type %s: %s', async (type, expected) => {
  expect(await codeOf(readJson(request('{}', { 'content-type': type })))).toBe(expected)
})

test('a body without content type is refused', async () => {
  expect(await codeOf(readJson(request(chunks('{}'), {})))).toBe('unsupported_media_type')
})

test.each([
  ['gzip', 'unsupported_media_type'],
  ['identity', 'read'],
  ['br, gzip', 'unsupported_media_type'],
])('content encoding %s: %s', async (encoding, expected) => {
  expect(await codeOf(readJson(request('{}', { ...json, 'content-encoding': encoding })))).toBe(expected)
})

describe('size', () => {
  test('a declared length over the limit is refused without reading', async () => {
    let pulled = false
    const body = new ReadableStream(
      {
        pull: () => {
          pulled = true
        },
      },
      { highWaterMark: 0 },
    )
    expect(await codeOf(readBytes(request(body, { ...json, 'content-length': '11' }), 10))).toBe(
      'payload_too_large',
    )
    expect(pulled).toBe(false)
  })

  test('the limit itself is allowed, one byte more is not', async () => {
    for (const make of [(text: string) => text, (text: string) => chunks(text.slice(0, 3), text.slice(3))]) {
      expect(await codeOf(readBytes(request(make('1234567890')), 10))).toBe('read')
      expect(await codeOf(readBytes(request(make('12345678901')), 10))).toBe('payload_too_large')
    }
  })

  test('an endless chunked body is discarded for a while, then cancelled', async () => {
    let cancelled = false
    let sent = 0
    const endless = new ReadableStream({
      pull: controller => {
        sent += 1000
        controller.enqueue(new Uint8Array(1000))
      },
      cancel: () => {
        cancelled = true
      },
    })
    expect(await codeOf(readBytes(request(endless), 10_000))).toBe('payload_too_large')
    expect(cancelled).toBe(true)
    expect(sent).toBeLessThan(40_000)
  })

  test('a client that breaks off while sending is its own fault', async () => {
    const broken = new ReadableStream({
      pull: controller => controller.error(new Error('connection lost')),
    })
    expect(await codeOf(readBytes(request(broken)))).toBe('invalid_request')
  })

  test('a body in slow pieces, cut inside a character, arrives whole', async () => {
    const bytes = new TextEncoder().encode('{"name":"Ådå €"}')
    const slow = new ReadableStream({
      start: async controller => {
        for (const byte of bytes) {
          await Bun.sleep(0)
          controller.enqueue(new Uint8Array([byte]))
        }
        controller.close()
      },
    })
    expect(await readJson(request(slow))).toEqual({ name: 'Ådå €' })
  })
})

describe('JSON', () => {
  const nested = (levels: number) => new TextEncoder().encode('['.repeat(levels) + ']'.repeat(levels))
  const codeOfBytes = (bytes: Uint8Array) => codeOf((async () => parseJson(bytes))())

  test.each([
    ['empty', ''],
    ['cut', '{"a":'],
    ['two values', '{}{}'],
    ['not JSON', 'hello'],
    ['NaN', '{"a":NaN}'],
  ])('%s is refused', async (_, text) => {
    expect(await codeOf(readJson(request(text)))).toBe('invalid_json')
  })

  test('a missing body is refused', async () => {
    expect(await codeOf(readJson(request(null)))).toBe('invalid_json')
  })

  test('bytes that are not UTF-8 are refused', async () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      expect(await codeOf(readJson(request(new Uint8Array(bytes))))).toBe('invalid_json')
    }
  })

  test('64 levels are read, 65 are not, and a million do no harm', async () => {
    expect(await codeOfBytes(nested(64))).toBe('read')
    expect(await codeOfBytes(nested(65))).toBe('invalid_json')
    expect(await codeOfBytes(nested(1_000_000))).toBe('invalid_json')
    expect(await codeOfBytes(new TextEncoder().encode('{"a":'.repeat(100_000)))).toBe('invalid_json')
  })

  test('the refusal does not quote the body', async () => {
    const error: unknown = await readJson(request('{"secret": broken}')).catch(thrown => thrown)
    expect(error instanceof ApiError ? error.message : 'none').toBe('The body is not valid JSON.')
  })

  // 100,000 members are read; one more is refused before anything is parsed, for any keys.
  test.each<[string, (index: number) => string]>([
    ['integers in order', index => `${index}`],
    ['integers far apart', index => `${(index * 42_949) % 4_294_967_291}`],
    ['descending integers', index => `${4_294_967_294 - index}`],
    ['equal modulo 2^16', index => `${index * 65_536}`],
    ['one key again and again', () => 'a'],
    ['one integer again and again', () => '7'],
    ['__proto__ again and again', () => '__proto__'],
    ['keys that differ at their end', index => `${'a'.repeat(60)}${index}`],
  ])('the maximum of members is the same with %s keys', async (_, keyOf) => {
    const write = (count: number) => {
      const members = Array.from({ length: count }, (_, index) => `"${keyOf(index)}":0`)
      return new TextEncoder().encode(`{${members.join(',')}}`)
    }
    expect(await codeOfBytes(write(100_000))).toBe('read')
    expect(await codeOfBytes(write(100_001))).toBe('payload_too_large')
  })

  test('the last of repeated keys counts, and keys of prototypes are plain members', () => {
    const read = (text: string) => parseJson(new TextEncoder().encode(text)) as Record<string, unknown>
    expect(read('{"a":1,"a":2,"1":3,"1":4}')).toEqual({ a: 2, '1': 4 })
    const hostile = read('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    expect(Object.keys(hostile)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(hostile)).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })
})
