// FLAC: the number of samples that stands in its first block.

/** Of the fields of STREAMINFO after its sizes of blocks and frames. */
const fieldsOffset = 10

export function readFlacSeconds(file: Buffer): number | null {
  if (file.toString('latin1', 0, 4) !== 'fLaC') return null
  return readStreamInfo(file, 8)?.seconds ?? null
}

/** `start`: where STREAMINFO begins. Without a rate null; without a number of samples `seconds` is null. */
export function readStreamInfo(file: Buffer, start: number): { rate: number; seconds: number | null } | null {
  const fields = file.readBigUInt64BE(start + fieldsOffset)
  const rate = Number(fields >> 44n)
  const samples = Number(fields & 0xf_ffff_ffffn)
  return rate === 0 ? null : { rate, seconds: samples === 0 ? null : samples / rate }
}
