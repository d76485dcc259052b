// Recordings and documents that declare less than they contain, as a team that wants to pay less would send them.

/** Plain 8-bit samples at 8 kHz, mono, with any byte rate in the header. */
export function writeLyingWav(seconds: number, declaredByteRate: number): Buffer {
  const samples = 8000 * seconds
  const file = Buffer.alloc(44 + samples, 0x80)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(36 + samples, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(8000, 24)
  file.writeUInt32LE(declaredByteRate, 28)
  file.writeUInt16LE(1, 32)
  file.writeUInt16LE(8, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(samples, 40)
  return file
}

/** One page object that the page tree names this many times: 9 bytes a page. */
export function writeCrowdedPdf(pages: number): Buffer {
  const head = `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n3 0 obj<</Parent 2 0 R>>endobj\n`
  const kids = '3  0   R '.repeat(pages)
  return Buffer.from(
    `${head}2 0 obj<</Type/Pages/Count ${pages}/Kids[${kids}]>>endobj\ntrailer<</Root 1 0 R>>\n`,
  )
}
