// The form of a submission: its fields as text, filled from a version, and the request that it makes. Pure.
import type { HandInBody, SubmissionVersion, SubmittedFile } from '@fairgate/contracts/console/submissions.ts'

export type SubmissionDraft = {
  readonly title: string
  readonly summary: string
  readonly repository: string
  readonly commit: string
  readonly demo_url: string
  readonly video_url: string
  readonly disclosure: string
  readonly files: readonly SubmittedFile[]
}

/** `version`: null for an empty form. */
export function draftOf(version: SubmissionVersion | null): SubmissionDraft {
  return {
    title: version?.title ?? '',
    summary: version?.summary ?? '',
    repository: version?.repository ?? '',
    commit: version?.commit ?? '',
    demo_url: version?.demo_url ?? '',
    video_url: version?.video_url ?? '',
    disclosure: version?.disclosure ?? '',
    files: version?.files ?? [],
  }
}

export function isSameDraft(one: SubmissionDraft, other: SubmissionDraft): boolean {
  return JSON.stringify(toHandIn(one, 0)) === JSON.stringify(toHandIn(other, 0))
}

export function toHandIn({ files, ...texts }: SubmissionDraft, basedOn: number): HandInBody {
  return { based_on: basedOn, ...texts, files: files.map(({ file_id }) => file_id) }
}
