// Gives images that models made an address of ours, which works for an hour and needs no key: it is signed, and nothing about it has to
// be looked up. Their bytes are kept and removed like those of uploaded files.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { StoredFile } from '../store/statements/files.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import type { FileParts } from './file-parts.ts'

export type ImageAddressesDependencies = Pick<World, 'clock'> & {
  readonly store: {
    readonly read: Pick<Store['read'], 'countFiles'>
    readonly write: Pick<Store['write'], 'startFile'>
  }
  readonly parts: FileParts
  /** 96 random bits in lower-case hex. */
  readonly newName: () => string
  /** The key of all processes of this installation. */
  readonly joinKey: Uint8Array
  /** For the images of a team together. */
  readonly maxTeamBytes: number
}

export type NewImage = Pick<StoredFile, 'teamId' | 'keyHash'> & { readonly bytes: Uint8Array<ArrayBuffer> }

export type ImageAtAddress = {
  readonly body: Blob | ReadableStream<Uint8Array>
  readonly mimeType: ImageType
  readonly bytes: number
  /** Seconds for which the address still works. */
  readonly seconds: number
}

/** OpenAI's addresses work as long. */
const keptMs = 3_600_000
const longestSaveMs = 30_000

type Facts = {
  readonly name: string
  readonly bytes: number
  /** Unix seconds. */
  readonly expires: number
  readonly mimeType: ImageType
}

/** How the address of an image ends: its name, its size, the Unix time of its end, the signature of these, and its type. */
const form =
  /^image-(?<name>[0-9a-f]{24})\.(?<bytes>\d{1,12})\.(?<expires>\d{1,12})\.(?<signature>[\w-]{43})\.(?<extension>png|jpg|webp)$/

export const imageExtensions = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const
export type ImageType = keyof typeof imageExtensions
const types = Object.keys(imageExtensions) as ImageType[]

export class ImageAddresses {
  readonly #dependencies: ImageAddressesDependencies
  readonly #key: Buffer

  constructor(dependencies: ImageAddressesDependencies) {
    this.#dependencies = dependencies
    this.#key = Buffer.from(hkdfSync('sha256', dependencies.joinKey, '', 'fairgate image addresses', 32))
  }

  /** Throws ApiError `files_exceeded` if there is no room for another image of the team. Call it before the image is paid for. */
  async requireRoom(teamId: string): Promise<void> {
    const { store, maxTeamBytes } = this.#dependencies
    const { bytes } = await store.read.countFiles({ teamId, areImages: true })
    if (bytes < maxTeamBytes) return
    throw new ApiError('files_exceeded', {
      message:
        `Your team may keep at most ${maxTeamBytes} bytes of images with an address. ` +
        'Ask for response_format "b64_json", or wait: each image is removed after an hour.',
    })
  }

  /** Keeps an image; resolves with the end of its address, or with null if it cannot be kept: it is paid for, and must not be lost. */
  async keep({ teamId, keyHash, bytes: image }: NewImage, mimeType: ImageType): Promise<string | null> {
    const { clock, store, parts, newName, maxTeamBytes } = this.#dependencies
    const name = newName()
    const bytes = image.byteLength
    const now = clock()
    // In whole seconds, as the address has it.
    const expires = Math.floor((now + keptMs) / 1000)
    const file = {
      teamId,
      fileId: `image-${name}`,
      keyHash,
      purpose: 'image_by_address',
      filename: '',
      mimeType,
      bytes,
      parts: [bytes],
      sha256: null,
      isReady: false,
      createdAt: now,
      expiresAt: expires * 1000,
    } as const
    try {
      // Calls that found room may end together: what they made may be as much again.
      const bounds = { files: Number.MAX_SAFE_INTEGER, bytes: 2 * maxTeamBytes }
      if ((await store.write.startFile({ file, bounds })) !== null) return null
      // Not the client's signal: an answer is kept for its idempotency key even if the client has left.
      await parts.save(
        { ...file, index: 0 },
        new Blob([image]).stream(),
        bytes,
        AbortSignal.timeout(longestSaveMs),
      )
    } catch (error) {
      parts.report(error, file)
      return null
    }
    const facts = { name, bytes, expires, mimeType }
    return `image-${name}.${bytes}.${expires}.${this.#sign(facts)}.${imageExtensions[mimeType]}`
  }

  /**
   * The image at the end of an address. Throws ApiError `file_not_found` for one that we did not give, `image_expired`, and `unavailable`
   * if the image cannot be read.
   */
  async open(end: string, signal: AbortSignal): Promise<ImageAtAddress> {
    const { clock, parts } = this.#dependencies
    const facts = this.#read(end)
    if (facts === null)
      throw new ApiError('file_not_found', {
        message: 'There is no image at this address. Copy the whole address from the reply.',
      })
    const { name, bytes, expires, mimeType } = facts
    const seconds = expires - Math.ceil(clock() / 1000)
    if (seconds <= 0)
      throw new ApiError('image_expired', {
        message: `This address worked until ${new Date(expires * 1000).toISOString()}. Images are kept for an hour: download them before.`,
      })
    const part = { teamId: '', fileId: `image-${name}`, index: 0 }
    const body = await parts.open(part, bytes, signal)
    return { body, mimeType, bytes, seconds }
  }

  #read(end: string): Facts | null {
    const { name, bytes, expires, signature, extension } = form.exec(end)?.groups ?? {}
    const mimeType = types.find(type => imageExtensions[type] === extension)
    if (name === undefined || signature === undefined || mimeType === undefined) return null
    const facts = { name, bytes: Number(bytes), expires: Number(expires), mimeType }
    return timingSafeEqual(Buffer.from(signature), Buffer.from(this.#sign(facts))) ? facts : null
  }

  #sign({ name, bytes, expires, mimeType }: Facts): string {
    return createHmac('sha256', this.#key)
      .update(`${name}.${bytes}.${expires}.${mimeType}`)
      .digest('base64url')
  }
}
