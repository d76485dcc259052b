// A transcript for tests: a text in place of a file.
import type { OpenTranscript } from '../transcripts.ts'

export function openText(text: string): OpenTranscript {
  const bytes = Buffer.from(text)
  return { size: bytes.length, read: (at, length) => bytes.subarray(at, at + length) }
}
