// Writes PNG files of one colour and any size. A palette of one entry and one bit per pixel keep 4K cheap.
import { crc32, deflateSync } from 'node:zlib'

export type PngFacts = {
  readonly width: number
  readonly height: number
  readonly colour: readonly [red: number, green: number, blue: number]
  /** Size of an extra chunk that decoders skip, for replies of realistic size; absent for none. */
  readonly fillBytes?: number | undefined
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** All pixels are entry 0, so that images of the same size share their compressed data. */
const packed = new Map<string, Uint8Array>()

export function writePng({ width, height, colour, fillBytes }: PngFacts): Uint8Array {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  // One bit per pixel, palette.
  header.set([1, 3, 0, 0, 0], 8)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Uint8Array.from(colour)),
    ...(fillBytes === undefined ? [] : [chunk('fiLl', new Uint8Array(fillBytes))]),
    chunk('IDAT', packPixels(width, height)),
    chunk('IEND', new Uint8Array(0)),
  ])
}

function packPixels(width: number, height: number): Uint8Array {
  const size = `${width}x${height}`
  const known = packed.get(size)
  if (known !== undefined) return known
  const pixels = deflateSync(new Uint8Array((1 + Math.ceil(width / 8)) * height))
  packed.set(size, pixels)
  return pixels
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + content.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, content.length)
  bytes.set(new TextEncoder().encode(name), 4)
  bytes.set(content, 8)
  view.setUint32(8 + content.length, crc32(bytes.subarray(4, 8 + content.length)))
  return bytes
}
