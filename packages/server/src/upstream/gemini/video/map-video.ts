// Videos: converts our call to the vendor's body, and the state of its operation to ours.
import type { VideoCall, VideoFailure, VideoProgress } from '../../media-port.ts'
import { asArray, asRecord, asString } from '../../narrow-json.ts'
import { redact } from '../../redact.ts'

/** For `models/{model}:predictLongRunning`. */
export function buildVideoBody({ prompt, seconds, aspectRatio, resolution, image }: VideoCall): object {
  const firstImage =
    image === null ? {} : { image: { bytesBase64Encoded: image.base64, mimeType: image.mimeType } }
  return {
    instances: [{ prompt, ...firstImage }],
    parameters: { aspectRatio, durationSeconds: seconds, resolution, sampleCount: 1 },
  }
}

/** Null if the reply names no operation. */
export function readOperationName(reply: unknown): string | null {
  const name = asString(asRecord(reply)?.name)
  return name !== null && /^(?:models\/[\w.-]{1,200}\/)?operations\/[\w.-]{1,200}$/.test(name) ? name : null
}

const nothingMade: VideoFailure = {
  code: 'upstream_error',
  message: 'The model provider made no video and did not say why.',
}

/** `reply`: the body of a poll. An operation that is done without a file has failed, in any state. */
export function mapOperation(reply: unknown): VideoProgress {
  const operation = asRecord(reply)
  if (operation?.done !== true) return { state: 'running' }
  const error = asRecord(operation.error)
  if (error !== null) return { state: 'failed', failure: mapOperationError(error) }
  const response = asRecord(operation.response)
  const made = asRecord(response?.generateVideoResponse) ?? response
  const files = readFileIds(made?.generatedSamples ?? made?.generatedVideos)
  if (files.length > 0) return { state: 'completed', files }
  const [reason] = asArray(made?.raiMediaFilteredReasons).map(asString)
  if (reason == null) return { state: 'failed', failure: nothingMade }
  return { state: 'failed', failure: { code: 'content_policy_violation', message: reason } }
}

const maxFiles = 16

function readFileIds(samples: unknown): string[] {
  return asArray(samples)
    .slice(0, maxFiles)
    .flatMap(sample => {
      const uri = asString(asRecord(asRecord(sample)?.video)?.uri) ?? ''
      return readFileId(uri) ?? []
    })
}

/** The id in a file URL; null if there is none. We never call the host that the URL names. */
export function readFileId(uri: string): string | null {
  return /\/v1(?:beta)?\/files\/([\w-]{1,100})(?::download)?(?:\?.*)?$/.exec(uri)?.[1] ?? null
}

/** `code` is a google.rpc code, not an HTTP status. */
function mapOperationError(error: { readonly [member: string]: unknown }): VideoFailure {
  const message = asString(error.message) ?? 'The model provider gave no reason.'
  if (error.code === 3) return { code: 'upstream_rejected', message }
  if (error.code === 8 || error.code === 14) return { code: 'upstream_overloaded', message }
  return { code: 'upstream_error', message }
}

const longestMessage = 1000

/** As its team may see it. */
export function showFailure({ code, message }: VideoFailure, secret: string): VideoFailure {
  return { code, message: redact(message, secret).slice(0, longestMessage) }
}
