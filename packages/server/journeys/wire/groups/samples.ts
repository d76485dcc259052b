// Small files and bodies that multiple groups send.

const onePixelPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='

export const pixelUrl = `data:image/png;base64,${onePixelPng}`
export const pixelBase64 = onePixelPng

export function pixelFile(): File {
  return new File([new Uint8Array(Buffer.from(onePixelPng, 'base64'))], 'pixel.png', { type: 'image/png' })
}

/** A second of silence as WAV: 8 kHz, mono, 16 bits. */
export function silenceFile(): File {
  const samples = 16_000
  const wav = Buffer.alloc(44 + samples)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(36 + samples, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(8000, 24)
  wav.writeUInt32LE(16_000, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(samples, 40)
  return new File([new Uint8Array(wav)], 'silence.wav', { type: 'audio/wav' })
}

/** A reply of an upstream as raw bytes. */
export function rawReply(status: string, type: string, body: string, ...headers: readonly string[]): string {
  const lines = [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]
  return [...lines, ...headers, 'Connection: close', '', body].join('\r\n')
}
