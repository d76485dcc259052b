// Keeps the files that teams upload: counted against the team's bounds first, then their bytes, then their row as a whole file. So a
// crash leaves an upload that expires, never half of a file.
import { createHash } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { FileBounds, FileRef, ListFilesInput, StoredFile } from '../store/statements/files.ts'
import type { Store } from '../store/store.ts'
import type { VideoFiles } from '../videos/folder-files.ts'
import type { World } from '../world/world.ts'
import { headBytes, recogniseType } from './recognise-type.ts'

export type FileServiceDependencies = Pick<World, 'clock'> & {
  readonly store: {
    readonly read: Pick<Store['read'], 'readFile' | 'listFiles' | 'listExpiredFiles'>
    readonly write: Pick<
      Store['write'],
      'startFile' | 'addFilePart' | 'finishFile' | 'hideFile' | 'deleteFile'
    >
  }
  /** Keeps the parts. */
  readonly copies: Pick<VideoFiles, 'save' | 'read' | 'remove'>
  /** Starts the ids of its files; a service finds no others. */
  readonly idPrefix: 'file' | 'submitted'
  readonly randomBytes: World['randomBytes']
  readonly maxBytes: number
  readonly bounds: FileBounds
  readonly keptMs: number
  readonly reportFailure: (error: unknown, fields: object) => void
}

export type NewFile = Pick<StoredFile, 'teamId' | 'keyHash' | 'purpose' | 'filename' | 'mimeType' | 'bytes'>

/** A resumable upload may take so long from its start. */
const uploadMs = 3_600_000
const expiredAtOnce = 50
/** After its prefix. Nothing else reaches the store, which accepts no NUL. */
const idForm = /^-[0-9a-f]{24}$/

export class FileService {
  readonly #dependencies: FileServiceDependencies

  constructor(dependencies: FileServiceDependencies) {
    this.#dependencies = dependencies
  }

  get maxBytes(): number {
    return this.#dependencies.maxBytes
  }

  /** Throws ApiError `payload_too_large`, `files_exceeded`, or `unavailable` if the bytes cannot be kept. */
  async save(file: NewFile, content: Uint8Array, signal: AbortSignal): Promise<StoredFile> {
    const upload = await this.start(file)
    try {
      return await this.#finish(await this.append(upload, content, signal), signal)
    } catch (error) {
      await this.remove(upload)
      throw error
    }
  }

  /** Begins an upload in pieces. Throws like `save`. */
  async start(file: NewFile): Promise<StoredFile> {
    const { clock, store, bounds, maxBytes, idPrefix, randomBytes } = this.#dependencies
    if (file.bytes > maxBytes)
      throw new ApiError('payload_too_large', {
        message: `The file has ${file.bytes} bytes. A file may have at most ${maxBytes} bytes.`,
      })
    const now = clock()
    const upload: StoredFile = {
      ...file,
      fileId: `${idPrefix}-${randomBytes(12).toString('hex')}`,
      parts: [],
      sha256: null,
      isReady: false,
      createdAt: now,
      expiresAt: now + uploadMs,
    }
    const full = await store.write.startFile({ file: upload, bounds })
    if (full !== null) throw refuseFull(full, bounds)
    return upload
  }

  /** Keeps the next piece. Throws ApiError `invalid_request` if another piece came at the same time, and `unavailable`. */
  async append(upload: StoredFile, content: Uint8Array, signal: AbortSignal): Promise<StoredFile> {
    const { store, copies } = this.#dependencies
    const { parts } = upload
    if (content.byteLength === 0) return upload
    try {
      await copies.save({
        taskId: nameOfPart(upload, parts.length),
        video: new Blob([content]).stream(),
        expectedBytes: content.byteLength,
        signal,
      })
    } catch (cause) {
      this.#dependencies.reportFailure(cause, { team_id: upload.teamId, file_id: upload.fileId })
      throw unavailable(10, cause, 'The file could not be stored. Try again shortly.')
    }
    const isAdded = await store.write.addFilePart({
      ref: refOf(upload),
      seen: parts,
      size: content.byteLength,
    })
    if (isAdded) return { ...upload, parts: [...parts, content.byteLength] }
    throw new ApiError('invalid_request', {
      message: 'This upload is over, or another piece arrived at the same time. Start a new upload.',
    })
  }

  /** All pieces are there. Throws ApiError `invalid_request` if they are not as many bytes as announced. */
  async finish(upload: StoredFile, signal: AbortSignal): Promise<StoredFile> {
    return await this.#finish(upload, signal)
  }

  /** Throws ApiError `file_not_found`, also for another team's file and for one that is still uploaded. */
  async find(teamId: string, fileId: string): Promise<StoredFile> {
    const file = await this.#read(teamId, fileId)
    if (file?.isReady !== true) throw refuseUnknown(fileId)
    return file
  }

  /** Throws ApiError `file_not_found` unless it is an upload in progress. */
  async findUpload(teamId: string, fileId: string): Promise<StoredFile> {
    const file = await this.#read(teamId, fileId)
    if (file === null || file.isReady) throw refuseUnknown(fileId)
    return file
  }

  /** Whole files of the team. */
  list(input: Omit<ListFilesInput, 'now'>): Promise<StoredFile[]> {
    const { store, clock } = this.#dependencies
    return store.read.listFiles({ ...input, now: clock() })
  }

  /** The bytes, part by part. Rejects with ApiError `unavailable` if one is missing. */
  async *content(file: StoredFile, signal: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const { copies, reportFailure } = this.#dependencies
    for (const [index, bytes] of file.parts.entries()) {
      const wanted = { taskId: nameOfPart(file, index), bytes, range: null, signal }
      let cause: unknown = null
      const part = await copies.read(wanted).catch(error => {
        cause = error
        return null
      })
      if (part === null) {
        signal.throwIfAborted()
        reportFailure(cause ?? new Error('A part of an uploaded file is missing from the store.'), {
          team_id: file.teamId,
          file_id: file.fileId,
        })
        throw unavailable(10, cause ?? undefined, 'The file cannot be read now. Try again shortly.')
      }
      yield new Uint8Array(await new Response(part).arrayBuffer())
    }
  }

  /** The same as a body. */
  stream(file: StoredFile, signal: AbortSignal): ReadableStream<Uint8Array<ArrayBuffer>> {
    const parts = this.content(file, signal)
    return new ReadableStream({
      pull: async controller => {
        const { done, value } = await parts.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await parts.return(undefined)),
    })
  }

  /** Gone for the team at once; bytes that cannot be removed now are removed later. */
  async remove(ref: FileRef): Promise<void> {
    const hidden = await this.#dependencies.store.write.hideFile(refOf(ref))
    if (hidden !== null) await this.#discard(hidden)
  }

  /** Removes expired and deleted files, and uploads that were given up. */
  async sweep(): Promise<void> {
    const { store, clock } = this.#dependencies
    const expired = await store.read.listExpiredFiles({ now: clock(), limit: expiredAtOnce })
    for (const file of expired) await this.#discard(file)
  }

  async #discard(file: StoredFile): Promise<void> {
    const { store, copies, reportFailure } = this.#dependencies
    try {
      // One more than is noted: a crash may have come between the two.
      const last = file.isReady ? file.parts.length : file.parts.length + 1
      for (let index = 0; index < last; index += 1) await copies.remove(nameOfPart(file, index))
      await store.write.deleteFile(refOf(file))
    } catch (error) {
      reportFailure(error, { team_id: file.teamId, file_id: file.fileId })
    }
  }

  async #finish(upload: StoredFile, signal: AbortSignal): Promise<StoredFile> {
    const { store, clock, keptMs } = this.#dependencies
    const received = upload.parts.reduce((sum, size) => sum + size, 0)
    if (received !== upload.bytes || received === 0)
      throw new ApiError('invalid_request', {
        message:
          received === 0
            ? 'The file is empty. Send a file with at least one byte.'
            : `The upload has ${received} bytes, but ${upload.bytes} were announced.`,
      })
    const hash = createHash('sha256')
    let head: Uint8Array | null = null
    for await (const part of this.content(upload, signal)) {
      hash.update(part)
      head ??= part.slice(0, headBytes)
    }
    const mimeType = recogniseType(head ?? new Uint8Array(), upload.mimeType, upload.filename)
    const finished = await store.write.finishFile({
      ref: refOf(upload),
      mimeType,
      sha256: hash.digest('hex'),
      expiresAt: clock() + keptMs,
    })
    if (finished === null) throw refuseUnknown(upload.fileId)
    return finished
  }

  #read(teamId: string, fileId: string): Promise<StoredFile | null> {
    const { store, clock, idPrefix } = this.#dependencies
    if (!fileId.startsWith(idPrefix) || !idForm.test(fileId.slice(idPrefix.length)))
      return Promise.resolve(null)
    return store.read.readFile({ teamId, fileId, now: clock() })
  }
}

function refOf({ teamId, fileId }: FileRef): FileRef {
  return { teamId, fileId }
}

function nameOfPart({ fileId }: FileRef, index: number): string {
  return `${fileId}_${index}`
}

function refuseUnknown(fileId: string): ApiError {
  return new ApiError('file_not_found', {
    message: `Your team has no file ${JSON.stringify(fileId.slice(0, 100))}. It may have expired or been deleted.`,
  })
}

function refuseFull(full: 'files' | 'bytes', { files, bytes }: FileBounds): ApiError {
  const most = full === 'files' ? `${files} files` : `${bytes} bytes of files`
  return new ApiError('files_exceeded', {
    message: `Your team may keep at most ${most}. Delete files that are no longer needed.`,
  })
}
