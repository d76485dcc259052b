// Small real files for forms: a second of silence, an image of one pixel.
import { buildWav } from '../../src/media/pcm.ts'

/** A second of silence. */
function buildSilence(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buildWav({ samples: new Uint8Array(16_000), rate: 8000 }))
}

const onePixelPng = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
    'base64',
  ),
)

/** An image of one pixel. */
export function buildImage(): File {
  return new File([onePixelPng], 'pixel.png', { type: 'image/png' })
}

/** Form field → a file that it accepts. */
export const sampleFiles: Readonly<Record<string, () => File>> = {
  file: () => new File([buildSilence()], 'silence.wav', { type: 'audio/wav' }),
  image: buildImage,
}
