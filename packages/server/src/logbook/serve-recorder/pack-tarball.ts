// Packs files into a gzipped tar archive. The same files give the same bytes, so that a digest identifies an archive.
import { gzipSync } from 'node:zlib'

export type PackedFile = { readonly path: string; readonly content: Uint8Array; readonly mode: number }

const block = 512
/** 1985-10-26 08:15:00 UTC, which npm also writes for every file: some file systems cannot express earlier times. */
const fixedTime = 499_162_500

/** Paths of at most 100 bytes. */
export function packTarball(files: readonly PackedFile[]): Uint8Array {
  const parts = files.flatMap(file => [writeHeader(file), file.content, padding(file.content.length)])
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * block)]), { level: 9 })
}

function padding(length: number): Uint8Array {
  return Buffer.alloc((block - (length % block)) % block)
}

/** The header of POSIX.1-1988 (`ustar`). */
function writeHeader({ path, content, mode }: PackedFile): Uint8Array {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for the archive.`)
  const header = Buffer.alloc(block)
  const number = (value: number, offset: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset)
  header.write(path, 0)
  number(mode, 100, 8)
  number(0, 108, 8)
  number(0, 116, 8)
  number(content.length, 124, 12)
  number(fixedTime, 136, 12)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
