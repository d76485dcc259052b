// Takes in what teams hand in, and reads it back for them and for organisers.
import {
  type HandInBody,
  maxVersions,
  type NamedInLog,
  type OwnSubmission,
  type SubmissionList,
  type SubmissionRow,
  type SubmissionVersion,
  submissionStates,
  type TeamSubmission,
  type UploadedFile,
} from '@fairgate/contracts/console/submissions.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { SubmissionSettings } from '@fairgate/contracts/management/submission-settings.ts'
import { formatZonedMoment } from '@fairgate/contracts/text/zoned-time.ts'
import { toAuditRow } from '../directory/audit.ts'
import type { Directory } from '../directory/create-directory.ts'
import { submissionAsked, submissionDeadline } from '../directory/event/event.ts'
import { refuseValue, requireTeam } from '../directory/refusals.ts'
import { isHidden, type Key } from '../directory/types.ts'
import type { SubmissionContent, SubmissionRecord } from '../evidence/seal-submission.ts'
import type { FileService } from '../files/file-service.ts'
import type { StoredFile } from '../store/statements/files.ts'
import type { InsertSubmissionOutcome } from '../store/statements/submissions.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { checkSubmission, nameRepository } from './check-submission.ts'
import {
  type Around,
  describeFile,
  describeHead,
  describeNamed,
  describeRow,
  describeState,
  describeVersion,
} from './describe-submission.ts'
import { acceptedTypes, recogniseSubmitted } from './recognise-submitted.ts'

export type SubmissionDependencies = Pick<World, 'clock'> & {
  readonly read: Pick<
    Store['read'],
    'countNamedEntries' | 'listSubmissionVersions' | 'readBoard' | 'readNewestSubmissions' | 'readSubmission'
  >
  readonly write: Pick<Store['write'], 'insertSubmission'>
  readonly directory: Pick<
    Directory,
    'catchUp' | 'event' | 'eventVersion' | 'findMember' | 'findTeam' | 'teams' | 'version'
  >
  readonly files: Pick<FileService, 'find' | 'maxBytes' | 'save' | 'stream'>
}

/** The key that hands in. */
export type Sender = Pick<Key, 'keyHash' | 'keyName' | 'memberId' | 'teamId'>

/** Entries that are looked at for a repository and a commit, usually 30 MB. */
const looked = { maxEntries: 20_000, maxBytes: 64 * 1024 * 1024 } as const
/** Each fails only if the settings of the event have changed within milliseconds. */
const maxAttempts = 5

/** A row of the export: the list's, with the texts. */
export type ExportedSubmission = SubmissionRow & Pick<SubmissionVersion, 'summary' | 'disclosure'>

export class SubmissionService {
  readonly #given: SubmissionDependencies
  /** The last count of each team, which holds until its log or the named commit changes: anyone of the team may ask often. */
  readonly #named = new Map<string, { readonly of: string; readonly count: Promise<NamedInLog> }>()

  constructor(given: SubmissionDependencies) {
    this.#given = given
  }

  /** Bytes of one file. */
  get maxFileBytes(): number {
    return this.#given.files.maxBytes
  }

  /**
   * Hands in a version. Throws ApiError `submissions_closed` (403), `invalid_request`, `file_not_found`, and `conflict` (409) if someone else
   * of the team has handed in since, or the team has too many versions.
   */
  async handIn(sender: Sender, body: HandInBody): Promise<OwnSubmission> {
    const { teamId } = sender
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const outcome = await this.#insert(sender, body)
      if (outcome.kind === 'stored' || outcome.kind === 'same') return await this.readOwn(teamId)
      if (outcome.kind !== 'event_changed') throw this.#refuse(outcome)
      await this.#given.directory.catchUp()
    }
    throw unavailable(2, undefined, 'The settings of the event are changing. Try again shortly.')
  }

  async #insert(sender: Sender, body: HandInBody): Promise<InsertSubmissionOutcome> {
    const { directory, write, clock } = this.#given
    const { teamId, keyHash, keyName, memberId } = sender
    const asked = this.#requireAsked()
    const seenEvent = directory.eventVersion()
    const dueAt = submissionDeadline(directory.event())
    const { fileIds, ...texts } = checkSubmission(body, asked)
    const content: SubmissionContent = { ...texts, files: await this.#findFiles(teamId, fileIds) }
    const { title, repository, commit } = content
    return await write.insertSubmission({
      teamId,
      seen: body.based_on,
      seenEvent,
      dueAt,
      refusesLate: asked.late === 'refused',
      maxVersions,
      keyHash,
      memberId: memberId ?? null,
      content,
      audit: toAuditRow(
        { now: clock(), actor: typeof memberId === 'string' ? `member ${memberId}` : `key ${keyName}` },
        {
          action: 'submission.hand_in',
          teamId,
          target: teamId,
          before: null,
          after: { version: body.based_on + 1, title, repository, commit, files: fileIds.length },
        },
      ),
    })
  }

  async #findFiles(teamId: string, fileIds: readonly string[]): Promise<SubmissionContent['files']> {
    const found: SubmissionContent['files'][number][] = []
    for (const fileId of fileIds) found.push(readFacts(await this.#given.files.find(teamId, fileId)))
    return found
  }

  /** Keeps a file for a version to come. Throws ApiError `submissions_closed`, `unsupported_media_type`, `files_exceeded`, `unavailable`. */
  async upload(
    { teamId, keyHash }: Sender,
    filename: string,
    content: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<UploadedFile> {
    const { files, read, directory, clock } = this.#given
    if (this.#requireAsked().max_files === 0)
      throw refuseValue('files', 'this event asks for no files. Use links instead.')
    const board = (await read.readBoard({ teamId })) ?? null
    const state = describeState({
      event: directory.event(),
      ...this.#around(),
      board,
      head: null,
      now: clock(),
    })
    const closedBy = state?.closed_by ?? null
    if (closedBy !== null) throw refuseClosed(closedBy)
    const mimeType = recogniseSubmitted(content)
    if (mimeType === null)
      throw new ApiError('unsupported_media_type', {
        message: `${JSON.stringify(filename.slice(0, 100))} cannot be handed in. Accepted by content: ${acceptedTypes}. Put other files into a ZIP.`,
      })
    const saved = await files.save(
      { teamId, keyHash, purpose: 'submission', filename, mimeType, bytes: content.byteLength },
      content,
      signal,
    )
    return {
      ...this.#moment(),
      ...describeFile(readFacts(saved)),
      expires_at: isoTime(saved.expiresAt),
    }
  }

  /** Throws ApiError `file_not_found`, also for another team's file. */
  async download(teamId: string, fileId: string, signal: AbortSignal): Promise<Response> {
    const file = await this.#given.files.find(teamId, fileId)
    return new Response(this.#given.files.stream(file, signal), {
      headers: {
        'content-length': String(file.bytes),
        // Teams upload anything that looks harmless: a browser must not run it at our address.
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${nameForHeader(file.filename)}"; filename*=UTF-8''${encodeName(file.filename)}`,
        'cache-control': 'private, no-store',
      },
    })
  }

  /** Throws ApiError `submission_not_found` if the event asks for none. */
  async readOwn(teamId: string): Promise<OwnSubmission> {
    const { read, directory, clock } = this.#given
    const [current, versions, board] = await Promise.all([
      read.readSubmission({ teamId, version: null }),
      read.listSubmissionVersions({ teamId }),
      read.readBoard({ teamId }),
    ])
    const around = this.#around()
    const event = directory.event()
    const state = describeState({ event, ...around, board: board ?? null, head: current, now: clock() })
    if (state === null)
      throw new ApiError('submission_not_found', { message: 'This event asks for no submissions.' })
    return {
      ...this.#moment(),
      ...state,
      current: current === null ? null : describeVersion(current, around),
      versions: versions.map(version => describeHead(version, around)),
      named_in_log: await this.#findNamed(current),
    }
  }

  /** Throws ApiError `submission_not_found`. */
  async readVersion(teamId: string, version: number): Promise<SubmissionVersion> {
    return describeVersion(await this.#findVersion(teamId, version), this.#around())
  }

  /** What a team has handed in last; null for nothing. */
  async readNewest(teamId: string): Promise<SubmissionVersion | null> {
    const found = await this.#given.read.readSubmission({ teamId, version: null })
    return found === null ? null : describeVersion(found, this.#around())
  }

  /** For organisers. `version`: null for the newest. Throws ApiError `team_not_found`, `submission_not_found`. */
  async readTeam(teamId: string, version: number | null): Promise<TeamSubmission> {
    const { read, directory } = this.#given
    const { alias } = requireTeam(directory, teamId)
    const around = this.#around()
    const versions = await read.listSubmissionVersions({ teamId })
    const shown = versions.length === 0 && version === null ? null : await this.#findVersion(teamId, version)
    return {
      ...this.#moment(),
      team_id: teamId,
      team_alias: alias,
      due_at: isoTime(around.deadline),
      shown: shown === null ? null : describeVersion(shown, around),
      versions: versions.map(head => describeHead(head, around)),
      named_in_log: await this.#findNamed(shown),
    }
  }

  /** All teams of the event, and others that have handed in. Those that have handed in nothing come first. */
  async list(state: SubmissionRow['state'] | undefined): Promise<SubmissionList> {
    const rows = (await this.#listRows()).map(({ summary: _, disclosure: __, ...row }) => row)
    const countOf = (wanted: SubmissionRow['state']) => rows.filter(row => row.state === wanted).length
    return {
      ...this.#moment(),
      asked: submissionAsked(this.#given.directory.event()) !== null,
      due_at: isoTime(this.#around().deadline),
      total: { handed_in: countOf('handed_in'), late: countOf('late'), missing: countOf('missing') },
      items: state === undefined ? rows : rows.filter(row => row.state === state),
    }
  }

  /** The rows of the list with their texts. */
  exportRows(): Promise<ExportedSubmission[]> {
    return this.#listRows()
  }

  async #listRows(): Promise<ExportedSubmission[]> {
    const { read, directory } = this.#given
    const around = this.#around()
    const newest = new Map(
      (await read.readNewestSubmissions(null)).map(found => [found.record.teamId, found] as const),
    )
    const rank = (row: SubmissionRow) => submissionStates.length - submissionStates.indexOf(row.state)
    return directory
      .teams()
      .filter(team => newest.has(team.teamId) || (team.blocked !== true && !isHidden(team)))
      .map(team => {
        const found = newest.get(team.teamId)
        const { summary = null, disclosure = null } = found?.record.content ?? {}
        return { ...describeRow(team, found, around), summary, disclosure }
      })
      .toSorted(
        (one, other) => rank(one) - rank(other) || one.team_alias.localeCompare(other.team_alias, 'en'),
      )
  }

  async #findVersion(teamId: string, version: number | null): Promise<SubmissionRecord> {
    const found = await this.#given.read.readSubmission({ teamId, version })
    if (found === null) throw new ApiError('submission_not_found', { param: 'version' })
    return found
  }

  async #findNamed(record: SubmissionRecord | null): Promise<NamedInLog | null> {
    const repository = nameRepository(record?.content.repository ?? '')
    if (record === null || repository === null) return null
    const { read } = this.#given
    const { teamId, content } = record
    const { commit } = content
    const head = (await read.readBoard({ teamId }))?.headSeq ?? 0
    const of = JSON.stringify([head, repository, commit])
    const known = this.#named.get(teamId)
    if (known?.of === of) return await known.count
    const count = read.countNamedEntries({ teamId, repository, commit, ...looked }).then(describeNamed)
    this.#named.set(teamId, { of, count })
    // A failed one is counted again.
    count.catch(() => this.#named.delete(teamId))
    return await count
  }

  #around(): Around {
    const { findMember, event } = this.#given.directory
    return { findMember, deadline: submissionDeadline(event()) }
  }

  #moment() {
    const { clock, directory } = this.#given
    return { as_of: isoTime(clock()), version: directory.version() }
  }

  #requireAsked(): SubmissionSettings {
    const asked = submissionAsked(this.#given.directory.event())
    if (asked !== null) return asked
    throw new ApiError('submissions_closed', { message: 'This event asks for no submissions.' })
  }

  #refuse(
    outcome: Exclude<InsertSubmissionOutcome, { kind: 'stored' | 'same' | 'event_changed' }>,
  ): ApiError {
    if (outcome.kind === 'closed') return refuseClosed(outcome.by)
    if (outcome.kind === 'file_missing')
      return new ApiError('file_not_found', {
        param: 'files',
        message: `Your team has no file ${JSON.stringify(outcome.fileId)} to hand in. Upload it again.`,
      })
    if (outcome.kind === 'full')
      return new ApiError('conflict', {
        message: `Your team has handed in ${maxVersions} times, and cannot hand in again. Ask the organisers.`,
      })
    const { current } = outcome
    if (current === null)
      return new ApiError('conflict', {
        param: 'based_on',
        message: 'Your team has handed in nothing yet. Send based_on 0.',
      })
    const { version, person } = describeHead(current, this.#around())
    const at = formatZonedMoment(
      Math.floor(current.receivedMicros / 1_000_000) * 1000,
      this.#given.directory.event().timeZone,
    )
    return new ApiError('conflict', {
      param: 'based_on',
      message: `${person ?? 'Someone else of your team'} handed in version ${version} at ${at}. Nothing was changed: read that version, then hand in again on top of it.`,
    })
  }
}

function readFacts(file: StoredFile): SubmissionContent['files'][number] {
  const { fileId, filename, mimeType, bytes, sha256 } = file
  return { fileId, filename, mimeType, bytes, sha256: sha256 ?? '' }
}

function refuseClosed(by: 'deadline' | 'organisers'): ApiError {
  return new ApiError('submissions_closed', {
    message:
      by === 'deadline'
        ? 'The deadline has passed, and late submissions are not accepted. What your team has handed in stays as it is.'
        : 'The deadline has passed, and the organisers have closed submissions of your team. What you have handed in stays as it is.',
  })
}

/** For clients that do not know `filename*`. */
function nameForHeader(filename: string): string {
  return filename.replaceAll(/[^\w.() -]/g, '_')
}

/** RFC 8187. */
function encodeName(filename: string): string {
  return encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    found => `%${found.charCodeAt(0).toString(16)}`,
  )
}
