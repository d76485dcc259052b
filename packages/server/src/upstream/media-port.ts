// The gateway's interface to an upstream that makes images, audio or videos: one call, its result, its usage.
import type { CatalogModel } from '../catalog/types.ts'
import type { Pcm } from '../media/pcm.ts'
import type { Asker } from './key-ring.ts'
import type { Served, UsageReport } from './port.ts'

export type ImageCall = {
  readonly model: CatalogModel
  readonly prompt: string
  /** Only models of modality `imggen` make more than one. */
  readonly count: number
  /** Null leaves it to the model. */
  readonly aspectRatio: string | null
  /** The images to change; empty to create one from nothing. */
  readonly images: readonly SentImage[]
}

export type SentImage = {
  readonly mimeType: 'image/png' | 'image/jpeg' | 'image/webp'
  readonly base64: string
}

export type Image = {
  readonly base64: string
  /** The model's version of the prompt, if it returns one. */
  readonly revisedPrompt: string | null
}

/** No images means that the model refused; its reported usage is charged anyway. */
export type ImageResult = Served & {
  readonly images: readonly Image[]
  readonly usage: UsageReport
}

export type SpeechCall = {
  readonly model: CatalogModel
  readonly text: string
  /** How to speak; null if not specified. */
  readonly instructions: string | null
  readonly voice: string
}

/** No audio means that the model refused or gave up. */
export type SpeechResult = Served & { readonly audio: Pcm | null; readonly usage: UsageReport }

export type MusicCall = {
  readonly model: CatalogModel
  readonly prompt: string
  readonly format: 'mp3' | 'wav'
}

export type MusicResult = Served & { readonly audio: Uint8Array | null; readonly usage: UsageReport }

export type TranscriptionCall = {
  readonly model: CatalogModel
  readonly audio: Uint8Array
  readonly mimeType: string
  /** As requested; null lets the model detect it. */
  readonly language: string | null
  /** As requested; null for none. */
  readonly prompt: string | null
  /** Words of the prompt, which may occur. */
  readonly vocabulary: readonly string[]
  readonly needsTimes: boolean
}

/** Seconds from the start. */
export type SpokenWord = { readonly text: string; readonly start: number; readonly end: number }

export type TranscriptionResult = Served & {
  readonly text: string
  /** As reported by the model; null if it does not. */
  readonly language: string | null
  /** Empty unless times were requested. */
  readonly words: readonly SpokenWord[]
  readonly usage: UsageReport
}

export type EmbeddingsCall = {
  readonly model: CatalogModel
  readonly texts: readonly string[]
  /** Length of each vector; null leaves it to the model. */
  readonly dimensions: number | null
}

export type EmbeddingsResult = Served & {
  readonly vectors: readonly (readonly number[])[]
  readonly usage: UsageReport
}

/** Every method throws ApiError (`upstream_*`) if the call failed before doing work. A started call is not stopped. */
export type MediaUpstream = {
  readonly makeImages: (call: ImageCall, team: Asker) => Promise<ImageResult>
  readonly speak: (call: SpeechCall, team: Asker) => Promise<SpeechResult>
  readonly makeMusic: (call: MusicCall, team: Asker) => Promise<MusicResult>
  readonly embed: (call: EmbeddingsCall, team: Asker) => Promise<EmbeddingsResult>
  readonly transcribe: (call: TranscriptionCall, team: Asker) => Promise<TranscriptionResult>
}

/** The unit for speech that is billed by its input: the characters of the text and of its instructions. */
export function countCharacters({ text, instructions }: Pick<SpeechCall, 'text' | 'instructions'>): number {
  return [...text].length + [...(instructions ?? '')].length
}

export type VideoCall = {
  readonly model: CatalogModel
  readonly prompt: string
  readonly seconds: number
  readonly aspectRatio: '16:9' | '9:16'
  readonly resolution: '720p' | '1080p'
  /** The video's first image; null for a video from words alone. */
  readonly image: SentImage | null
}

/** An order that the upstream has accepted: its name there, and the id of the key that it belongs to. */
export type StartedOperation = { readonly operation: string; readonly upstreamKey: string }

export type VideoFailure = { readonly code: string; readonly message: string }

export type VideoProgress =
  | { readonly state: 'running' }
  /** Ids of the files, at least one. */
  | { readonly state: 'completed'; readonly files: readonly string[] }
  | { readonly state: 'failed'; readonly failure: VideoFailure }
  /** The upstream knows no such operation. */
  | { readonly state: 'unknown' }

export type FileRequest = {
  readonly file: string
  readonly upstreamKey: string
  /** A `range` header; null for the whole file. */
  readonly range: string | null
  readonly signal: AbortSignal
}

/** Every method throws ApiError (`upstream_*`) if the upstream fails, or if its key is no longer configured. */
export type VideoUpstream = {
  /** Tried again only if the upstream has certainly not accepted the order. */
  readonly start: (call: VideoCall, team: Asker) => Promise<StartedOperation>
  /** Throws when the signal aborts. */
  readonly poll: (operation: StartedOperation, signal: AbortSignal, team: Asker) => Promise<VideoProgress>
  /** Resolves with 200, 206 or 416 and the file's own headers, from which the caller picks. */
  readonly openFile: (request: FileRequest) => Promise<Response>
}

/** The same for clients of the pass-through: `reply` is the upstream's reply, word for word. Throws RelayedError or ApiError. */
export type VideoRelay = {
  readonly start: (
    model: CatalogModel,
    body: Uint8Array,
    team: Asker,
  ) => Promise<StartedOperation & { readonly reply: string }>
  readonly poll: (
    operation: StartedOperation,
    model: CatalogModel,
    team: Asker,
  ) => Promise<{ readonly reply: string; readonly progress: VideoProgress }>
  readonly describeFile: (file: string, upstreamKey: string, team: Asker) => Promise<string>
}
