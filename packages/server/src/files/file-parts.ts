// Keeps the bytes of uploaded files and of images by address where videos are kept: each file in one part or more, as they arrived.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { unavailable } from '@fairgate/contracts/errors/refusals.ts'
import type { FileRef } from '../store/statements/files.ts'
import type { VideoFiles } from '../videos/folder-files.ts'

export type FilePartsDependencies = {
  readonly copies: Pick<VideoFiles, 'save' | 'read' | 'remove'>
  readonly reportFailure: (error: unknown, fields: object) => void
}

/** `index`: of the part within its file, from 0. */
export type PartRef = FileRef & { readonly index: number }

export class FileParts {
  readonly #dependencies: FilePartsDependencies

  constructor(dependencies: FilePartsDependencies) {
    this.#dependencies = dependencies
  }

  /** Resolves with the size. `expectedBytes`: null if unknown. Throws the ApiError of `content`, otherwise `unavailable`. */
  async save(
    part: PartRef,
    content: ReadableStream<Uint8Array>,
    expectedBytes: number | null,
    signal: AbortSignal,
  ): Promise<number> {
    const { copies } = this.#dependencies
    try {
      return await copies.save({ taskId: nameOf(part), video: content, expectedBytes, signal })
    } catch (cause) {
      if (cause instanceof ApiError) throw cause
      this.report(cause, part)
      throw unavailable(10, cause, 'The file could not be stored. Try again shortly.')
    }
  }

  /** Throws ApiError `unavailable` if it is missing, or if the store cannot be asked. */
  async open(part: PartRef, bytes: number, signal: AbortSignal): Promise<Blob | ReadableStream<Uint8Array>> {
    const { copies } = this.#dependencies
    let cause: unknown
    const found = await copies.read({ taskId: nameOf(part), bytes, range: null, signal }).catch(error => {
      cause = error
      return null
    })
    if (found !== null) return found
    signal.throwIfAborted()
    this.report(cause ?? new Error('A part of a file is missing from the store.'), part)
    throw unavailable(10, cause, 'The file cannot be read now. Try again shortly.')
  }

  /** Also if it does not exist. */
  remove(part: PartRef): Promise<void> {
    return this.#dependencies.copies.remove(nameOf(part))
  }

  report(error: unknown, { teamId, fileId }: FileRef): void {
    this.#dependencies.reportFailure(error, { team_id: teamId, file_id: fileId })
  }
}

function nameOf({ fileId, index }: PartRef): string {
  return `${fileId}_${index}`
}
