// Seals one version of a team's submission with a commitment, as records of calls are.
import { canonicalJson } from '@fairgate/contracts/text/canonical-json.ts'
import { commitRecord, identifyRecord, saltBytes, sha256 } from './commit-record.ts'

/** Everything that a proof of a version covers. Times in Unix ms, except `receivedMicros`. */
export type SubmissionRecord = {
  readonly teamId: string
  /** 1, 2, 3, … within the team. */
  readonly version: number
  /** By the database's clock, in the transaction that wrote it. */
  readonly receivedMicros: number
  /** The deadline that applied then; null if there was none. */
  readonly dueAt: number | null
  readonly keyHash: string
  /** Owner of that key; null for a key of the whole team. */
  readonly memberId: string | null
  readonly content: SubmissionContent
}

export type SubmissionContent = {
  readonly title: string
  readonly summary: string | null
  readonly repository: string | null
  readonly commit: string | null
  readonly demoUrl: string | null
  readonly videoUrl: string | null
  readonly disclosure: string | null
  readonly files: readonly {
    readonly fileId: string
    readonly filename: string
    readonly mimeType: string
    readonly bytes: number
    /** Lower-case hex. */
    readonly sha256: string
  }[]
}

export type SubmissionSeal = {
  /** 16 random bytes. */
  readonly salt: Uint8Array
  /** SHA-256(salt ‖ identity ‖ SHA-256 of the body), 32 bytes. The identity is that of `<team id>/<version>`. */
  readonly commitment: Uint8Array
}

/** The stored form, canonical JSON (RFC 8785). Its format never changes: other members get another `v`. */
export function writeSubmission(record: SubmissionRecord): string {
  return canonicalJson({ v: 1, ...record })
}

/** Reads what `writeSubmission` has written. */
export function readSubmissionBody(body: string): SubmissionRecord {
  const { v, ...record } = JSON.parse(body) as SubmissionRecord & { readonly v: unknown }
  if (v !== 1) throw new Error('The database has a submission that this version does not know.')
  return record
}

export function sealSubmission({ teamId, version }: SubmissionRecord, body: string): SubmissionSeal {
  const salt = crypto.getRandomValues(new Uint8Array(saltBytes))
  return { salt, commitment: commit(salt, teamId, version, body) }
}

/** True if the body still matches its commitment. */
export function isSubmissionSealed(
  { teamId, version }: Pick<SubmissionRecord, 'teamId' | 'version'>,
  body: string,
  { salt, commitment }: SubmissionSeal,
): boolean {
  return Buffer.from(commit(salt, teamId, version, body)).equals(commitment)
}

function commit(salt: Uint8Array, teamId: string, version: number, body: string): Uint8Array {
  return commitRecord(salt, identifyRecord('submission', `${teamId}/${version}`), sha256(body))
}
