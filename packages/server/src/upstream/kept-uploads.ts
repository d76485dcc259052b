// Keeps in mind which large files are in an upstream's own store, by file and key, and uploads the others: each once at a time, however
// many calls wait for it. Another process, or the next start, uploads again: that costs nothing but time, and a table would not know
// either what the upstream has deleted.
import { Clients } from '../world/clients.ts'
import type { UpstreamKey } from './key-ring.ts'
import { type LargeFile, type LargeFileStore, replaceMarks } from './large-files.ts'

/** A file in the upstream's store. */
export type Uploaded = {
  /** The upstream's name for it. */
  readonly name: string
  /** As requests name it: printable ASCII. */
  readonly address: string
  /** How long the upstream keeps it, from now. */
  readonly livesMs: number
}

export type KeptUploadsDependencies = {
  /** Resolves when the file can be used. Throws RefusedCall, or ApiError `unavailable` if our own store fails. */
  readonly upload: (file: LargeFile, key: UpstreamKey, signal: AbortSignal) => Promise<Uploaded>
  readonly remove: (uploaded: Uploaded, key: UpstreamKey) => Promise<void>
  /** Unix ms. */
  readonly clock: () => number
  readonly maxKeptBytes?: number
}

type Kept = {
  readonly key: UpstreamKey
  readonly bytes: number
  readonly clients: Clients
  readonly stop: AbortController
  readonly upload: Promise<Uploaded>
  /** Unix ms; Infinity while it is uploaded. */
  endsAt: number
}

/** Each upload holds one piece of 8 MiB. */
const maxUploadsAtOnce = 4
/** The vendor's store has 20 GB for each project. Other processes may use the same one. */
const maxKeptBytesOfKey = 8 * 1024 ** 3
/** A call that names a file must end before the upstream deletes it. */
const marginMs = 3_600_000

export class KeptUploads implements LargeFileStore {
  readonly #dependencies: KeptUploadsDependencies
  /** File → key → upload. The file that was used last is last. */
  readonly #kept = new Map<string, Map<string, Kept>>()
  readonly #bytesOfKeys = new Map<string, number>()
  readonly #waiting: (() => void)[] = []
  #running = 0
  #removals: Promise<void> = Promise.resolve()

  constructor(dependencies: KeptUploadsDependencies) {
    this.#dependencies = dependencies
  }

  readonly fill: LargeFileStore['fill'] = (body, { files, client, sent }) => {
    const text = body instanceof Uint8Array ? body : JSON.stringify(body)
    let used: [LargeFile, Kept][] = []
    return {
      client,
      write: async (key, signal) => {
        const waiting = AbortSignal.any([signal, client])
        const addresses = new Map<string, string>()
        used = []
        for (const file of files.values()) {
          const kept = await this.#get(file, key, waiting)
          used.push([file, kept])
          addresses.set(file.mark, (await kept.upload).address)
        }
        waiting.throwIfAborted()
        sent.isSent = true
        return replaceMarks(text, addresses)
      },
      forget: key => {
        for (const [{ fileId }, kept] of used) this.#drop(fileId, key.id, kept)
      },
    }
  }

  readonly forgetFile = (fileId: string): void => {
    for (const keyId of this.#kept.get(fileId)?.keys() ?? []) this.#drop(fileId, keyId)
  }

  /** Resolves when it is uploaded. */
  async #get(file: LargeFile, key: UpstreamKey, signal: AbortSignal): Promise<Kept> {
    signal.throwIfAborted()
    const kept = this.#find(file.fileId, key) ?? this.#start(file, key)
    try {
      await kept.clients.wait(kept.upload, signal)
      return kept
    } finally {
      if (kept.clients.haveLeft && kept.endsAt === Number.POSITIVE_INFINITY)
        this.#drop(file.fileId, key.id, kept)
    }
  }

  /** Null if there is none, or if the upstream may delete it soon. */
  #find(fileId: string, key: UpstreamKey): Kept | null {
    const ofFile = this.#kept.get(fileId)
    const kept = ofFile?.get(key.id)
    if (ofFile === undefined || kept === undefined) return null
    if (kept.endsAt <= this.#dependencies.clock()) {
      this.#drop(fileId, key.id)
      return null
    }
    this.#kept.delete(fileId)
    this.#kept.set(fileId, ofFile)
    return kept
  }

  #start(file: LargeFile, key: UpstreamKey): Kept {
    const { fileId, bytes } = file
    this.#makeRoom(key.id, bytes)
    const stop = new AbortController()
    const clients = new Clients()
    const upload = this.#uploadInTurn(file, key, stop.signal)
    const kept: Kept = { key, bytes, clients, stop, upload, endsAt: Number.POSITIVE_INFINITY }
    const ofFile = this.#kept.get(fileId) ?? new Map<string, Kept>()
    this.#kept.set(fileId, ofFile.set(key.id, kept))
    this.#bytesOfKeys.set(key.id, (this.#bytesOfKeys.get(key.id) ?? 0) + bytes)
    upload.then(
      ({ livesMs }) => {
        kept.endsAt = this.#dependencies.clock() + livesMs - marginMs
      },
      () => this.#drop(fileId, key.id, kept),
    )
    return kept
  }

  async #uploadInTurn(file: LargeFile, key: UpstreamKey, signal: AbortSignal): Promise<Uploaded> {
    while (this.#running >= maxUploadsAtOnce)
      await new Promise<void>(resolve => {
        this.#waiting.push(resolve)
        signal.addEventListener('abort', () => resolve(), { once: true })
      }).then(() => signal.throwIfAborted())
    this.#running += 1
    try {
      return await this.#dependencies.upload(file, key, signal)
    } finally {
      this.#running -= 1
      for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Drops what was used least lately. A call that still names it uploads it again. */
  #makeRoom(keyId: string, bytes: number): void {
    const { maxKeptBytes = maxKeptBytesOfKey } = this.#dependencies
    for (const fileId of this.#kept.keys()) {
      if ((this.#bytesOfKeys.get(keyId) ?? 0) + bytes <= maxKeptBytes) return
      const kept = this.#kept.get(fileId)?.get(keyId)
      if (kept !== undefined && kept.endsAt !== Number.POSITIVE_INFINITY) this.#drop(fileId, keyId)
    }
  }

  /** `only`: nothing is done if another upload has taken its place. */
  #drop(fileId: string, keyId: string, only?: Kept): void {
    const ofFile = this.#kept.get(fileId)
    const kept = ofFile?.get(keyId)
    if (ofFile === undefined || kept === undefined || (only !== undefined && kept !== only)) return
    ofFile.delete(keyId)
    if (ofFile.size === 0) this.#kept.delete(fileId)
    this.#bytesOfKeys.set(keyId, (this.#bytesOfKeys.get(keyId) ?? 0) - kept.bytes)
    if (kept.clients.haveLeft) kept.stop.abort()
    const { remove } = this.#dependencies
    this.#removals = this.#removals
      .then(async () => remove(await kept.upload, kept.key))
      // It was not uploaded, or the key no longer works: the upstream deletes it later.
      .catch(() => undefined)
  }
}
