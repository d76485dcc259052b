// Keeps the files that teams upload: counted against the team's bounds first, then their bytes, then their row as a whole file. So a
// crash leaves an upload that expires, never half of a file.
import { createHash } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { FileBounds, FileRef, ListFilesInput, StoredFile } from '../store/statements/files.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import type { FileParts } from './file-parts.ts'
import { headBytes, recogniseType } from './recognise-type.ts'

export type FileServiceDependencies = Pick<World, 'clock'> & {
  readonly store: {
    readonly read: Pick<Store['read'], 'readFile' | 'listFiles' | 'listExpiredFiles'>
    readonly write: Pick<
      Store['write'],
      'startFile' | 'addFilePart' | 'finishFile' | 'hideFile' | 'deleteFile'
    >
  }
  readonly parts: FileParts
  /** Starts the ids of its files; a service finds no others. */
  readonly idPrefix: 'file' | 'submitted'
  readonly randomBytes: World['randomBytes']
  readonly maxBytes: number
  readonly bounds: FileBounds
  /** Until when a file is kept that is whole at `now`. */
  readonly keptUntil: (now: number) => number
  /** Called when a file is gone, also for its copies elsewhere. */
  readonly noteRemoved: (fileId: string) => void
}

/** `bytes`: as announced; for a stream of unknown size, the most that can come. */
export type NewFile = Pick<StoredFile, 'teamId' | 'keyHash' | 'purpose' | 'filename' | 'mimeType' | 'bytes'>

/** All bytes of a file, which is not yet one of the team's. */
export type ReceivedFile = { readonly upload: StoredFile; readonly contents: Contents }

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

  /**
   * Stores a stream as it arrives. The caller then keeps or removes it. Throws what the stream throws, and ApiError `payload_too_large`,
   * `files_exceeded`, or `unavailable` if the bytes cannot be kept; then nothing stays.
   */
  async receive(
    file: NewFile,
    content: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<ReceivedFile> {
    const { parts, store, maxBytes } = this.#dependencies
    const upload = await this.start({ ...file, bytes: Math.min(file.bytes, maxBytes) })
    const ref = refOf(upload)
    const contents = new Contents()
    const counted = async function* () {
      for await (const piece of content) {
        contents.add(piece)
        if (contents.bytes > maxBytes) throw refuseLarge(maxBytes)
        yield piece
      }
    }
    try {
      const size = await parts.save({ ...ref, index: 0 }, toStream(counted()), null, signal)
      const isAdded = await store.write.addFilePart({ ref, seen: [], size })
      if (!isAdded) throw refuseUnknown(upload.fileId)
      return { upload: { ...upload, parts: [size], bytes: size }, contents }
    } catch (error) {
      await this.remove(upload)
      throw error
    }
  }

  /** Makes a received file one of the team's. Throws ApiError `invalid_request` for an empty one, and `file_not_found` if it is gone. */
  keep({ upload, contents }: ReceivedFile, purpose: StoredFile['purpose']): Promise<StoredFile> {
    return this.#keep({ ...upload, purpose }, contents)
  }

  /** Keeps bytes that are in memory. Throws like `receive` and `keep`; then nothing stays. */
  async save(file: NewFile, content: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<StoredFile> {
    const received = await this.receive(file, new Blob([content]).stream(), signal)
    try {
      return await this.keep(received, file.purpose)
    } catch (error) {
      await this.remove(received.upload)
      throw error
    }
  }

  /** Begins an upload in pieces. Throws ApiError `payload_too_large` or `files_exceeded`. */
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
    const { store } = this.#dependencies
    const { parts: seen } = upload
    const size = content.byteLength
    if (size === 0) return upload
    const ref = refOf(upload)
    const body = new Blob([content]).stream()
    await this.#dependencies.parts.save({ ...ref, index: seen.length }, body, size, signal)
    const isAdded = await store.write.addFilePart({ ref, seen, size })
    if (isAdded) return { ...upload, parts: [...seen, size] }
    throw new ApiError('invalid_request', {
      message: 'This upload is over, or another piece arrived at the same time. Start a new upload.',
    })
  }

  /** All pieces are there. Throws ApiError `invalid_request` if they are not as many bytes as announced, and `unavailable`. */
  async finish(upload: StoredFile, signal: AbortSignal): Promise<StoredFile> {
    const received = upload.parts.reduce((sum, size) => sum + size, 0)
    if (received !== upload.bytes)
      throw new ApiError('invalid_request', {
        message: `The upload has ${received} bytes, but ${upload.bytes} were announced.`,
      })
    const contents = new Contents()
    for await (const piece of this.content(upload, signal)) contents.add(piece)
    return await this.#keep(upload, contents)
  }

  /** Throws ApiError `file_not_found`, also for another team's file and for one that is still uploaded. */
  async find(teamId: string, fileId: string): Promise<StoredFile> {
    const file = await this.#read(teamId, fileId)
    if (file?.isReady !== true) throw refuseUnknown(fileId)
    return file
  }

  /**
   * An upload in progress, or one that has become a file within the time for uploads, because its client may not have received the last
   * reply. Throws ApiError `file_not_found` for any other.
   */
  async findUpload(teamId: string, fileId: string): Promise<StoredFile> {
    const file = await this.#read(teamId, fileId)
    if (file === null || file.createdAt + uploadMs <= this.#dependencies.clock()) throw refuseUnknown(fileId)
    return file
  }

  /** Whole files of the team. */
  list(input: Omit<ListFilesInput, 'now'>): Promise<StoredFile[]> {
    const { store, clock } = this.#dependencies
    return store.read.listFiles({ ...input, now: clock() })
  }

  /** The bytes, piece by piece. Throws ApiError `unavailable` if a part is missing. */
  async *content(file: StoredFile, signal: AbortSignal): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const ref = refOf(file)
    for (const [index, bytes] of file.parts.entries()) {
      const part = await this.#dependencies.parts.open({ ...ref, index }, bytes, signal)
      yield* (part instanceof Blob ? part.stream() : part) as AsyncIterable<Uint8Array<ArrayBuffer>>
    }
  }

  /** The same as a body. */
  stream(file: StoredFile, signal: AbortSignal): ReadableStream<Uint8Array> {
    return toStream(this.content(file, signal))
  }

  /** Gone for the team at once; bytes that cannot be removed now are removed later. */
  async remove(ref: FileRef): Promise<void> {
    const hidden = await this.#dependencies.store.write.hideFile(refOf(ref))
    if (hidden !== null) await this.#discard(hidden)
  }

  /** Removes expired and deleted files, images by address, and uploads that were given up. */
  async sweep(): Promise<void> {
    const { store, clock } = this.#dependencies
    for (let isMore = true; isMore; ) {
      const expired = await store.read.listExpiredFiles({ now: clock(), limit: expiredAtOnce })
      let removed = 0
      for (const file of expired) if (await this.#discard(file)) removed += 1
      isMore = removed > 0 && expired.length === expiredAtOnce
    }
  }

  /** False if the bytes could not be removed: the next sweep tries again. */
  async #discard(file: StoredFile): Promise<boolean> {
    const { store, parts } = this.#dependencies
    const ref = refOf(file)
    this.#dependencies.noteRemoved(file.fileId)
    try {
      // One more than is noted: a crash may have come between the two.
      const last = file.isReady ? file.parts.length : file.parts.length + 1
      for (let index = 0; index < last; index += 1) await parts.remove({ ...ref, index })
      await store.write.deleteFile(ref)
      return true
    } catch (error) {
      parts.report(error, file)
      return false
    }
  }

  async #keep(upload: StoredFile, contents: Contents): Promise<StoredFile> {
    const { store, clock, keptUntil } = this.#dependencies
    const { purpose, bytes, fileId } = upload
    if (bytes === 0) throw invalidRequest('file', 'file is empty. Send a file with at least one byte.')
    const finished = await store.write.finishFile({
      ref: refOf(upload),
      purpose,
      bytes,
      mimeType: recogniseType(contents.head, upload.mimeType, upload.filename),
      sha256: contents.digest(),
      expiresAt: keptUntil(clock()),
    })
    if (finished === null) throw refuseUnknown(fileId)
    return finished
  }

  #read(teamId: string, fileId: string): Promise<StoredFile | null> {
    const { store, clock, idPrefix } = this.#dependencies
    if (!fileId.startsWith(idPrefix) || !idForm.test(fileId.slice(idPrefix.length)))
      return Promise.resolve(null)
    return store.read.readFile({ teamId, fileId, now: clock() })
  }
}

/** What is noted about bytes that pass. */
class Contents {
  readonly #hash = createHash('sha256')
  bytes = 0
  head = new Uint8Array()

  add(piece: Uint8Array): void {
    this.#hash.update(piece)
    this.bytes += piece.byteLength
    if (this.head.byteLength < headBytes)
      this.head = new Uint8Array(Buffer.concat([this.head, piece.subarray(0, headBytes)]))
  }

  /** Lower-case hex. Only once. */
  digest(): string {
    return this.#hash.digest('hex')
  }
}

/** Read no further than asked, so that no piece waits in memory. */
function toStream(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async controller => {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}

function refOf({ teamId, fileId }: FileRef): FileRef {
  return { teamId, fileId }
}

function refuseUnknown(fileId: string): ApiError {
  return new ApiError('file_not_found', {
    message: `Your team has no file ${JSON.stringify(fileId.slice(0, 100))}. It may have expired or been deleted.`,
  })
}

function refuseLarge(maxBytes: number): ApiError {
  return new ApiError('payload_too_large', {
    message: `The file is larger than ${maxBytes} bytes, the most that a file may have.`,
  })
}

function refuseFull(full: 'files' | 'bytes', { files, bytes }: FileBounds): ApiError {
  const most = full === 'files' ? `${files} files` : `${bytes} bytes of files`
  return new ApiError('files_exceeded', {
    message: `Your team may keep at most ${most}. Delete files that are no longer needed.`,
  })
}
