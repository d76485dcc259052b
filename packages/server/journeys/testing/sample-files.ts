// Small real files for forms: a second of silence, a picture of one pixel.

const rate = 8000

/** A WAV file of silence. */
function buildSilence(seconds = 1): Uint8Array<ArrayBuffer> {
  const size = seconds * rate * 2
  const file = Buffer.from(new ArrayBuffer(44 + size))
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(36 + size, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(size, 40)
  return file
}

const onePixelPng: Uint8Array<ArrayBuffer> = Buffer.from(
  new Uint8Array(
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
      'base64',
    ),
  ).buffer,
)

/** Member of a form → a file that it takes. */
export const sampleFiles: Readonly<Record<string, () => File>> = {
  file: () => new File([buildSilence()], 'silence.wav', { type: 'audio/wav' }),
  image: () => new File([onePixelPng], 'pixel.png', { type: 'image/png' }),
}
