// Walks the frames of audio that has no container: MPEG audio and AAC.

import type { Step } from './read-seconds.ts'

export type Frame = {
  readonly bytes: number
  readonly samples: number
  readonly rate: number
}

/** Bytes that may stand before, between and after the frames: other tags, and what was damaged on the way. */
const mostJunk = 64 * 1024

/** Where the audio begins after the tags that programs for music write. */
function skipTags(file: Buffer, step: Step): number {
  let at = 0
  while (at + 10 <= file.length && file.toString('latin1', at, at + 3) === 'ID3') {
    step()
    const size = [6, 7, 8, 9].reduce((sum, place) => sum * 128 + (file.readUInt8(at + place) & 0x7f), 0)
    const hasFooter = (file.readUInt8(at + 5) & 0x10) !== 0
    at += 10 + size + (hasFooter ? 10 : 0)
  }
  return at
}

/** `visit` gets each frame and its place. `readFrame` answers null where none begins. */
export function walkFrames(
  file: Buffer,
  step: Step,
  readFrame: (file: Buffer, at: number) => Frame | null,
  visit: (frame: Frame, at: number) => void,
): void {
  let junk = 0
  for (let at = skipTags(file, step); at + 8 <= file.length && junk <= mostJunk; ) {
    step()
    const frame = readFrame(file, at)
    const next = frame === null ? 0 : at + frame.bytes
    // Any two bytes can look like a beginning: another frame, or the end of the file, follows a true one.
    const isTrue = frame !== null && (next + 8 > file.length || readFrame(file, next) !== null || junk === 0)
    if (frame === null || !isTrue) {
      at += 1
      junk += 1
      continue
    }
    // One that was cut is no longer heard.
    if (next <= file.length) visit(frame, at)
    at = next
    junk = 0
  }
}
