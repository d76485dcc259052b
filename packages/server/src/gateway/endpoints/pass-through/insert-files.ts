// Replaces the uploaded files that a body names by `fileData` with the same data as `inlineData`, or with the mark of a large file. Every
// other byte stays as it was sent.
import { invalidRequest } from '@fairgate/contracts/errors/refusals.ts'
import type { ReadFiles } from '../../../files/inline-files.ts'
import type { LargeFiles } from '../../../upstream/large-files.ts'
import { asRecord } from '../../../upstream/narrow-json.ts'
import { type JsonPath, walkJson } from '../../../upstream/walk-json.ts'
import { idOfUpload, isUploadName } from './own-files.ts'

type Place = {
  readonly id: string
  readonly param: string
  /** Bounds of the whole member with its name, in bytes. */
  readonly start: number
  readonly end: number
  readonly mimeType: string | null
  readonly displayName: string | null
}

const names = [Buffer.from('"fileData"'), Buffer.from('"file_data"')]

/** Null if the body names no uploaded file; nearly all do not. Other addresses are left for the check that refuses them. */
export function findFiles(body: Uint8Array): readonly Place[] | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!names.some(name => bytes.includes(name))) return null
  const places: Place[] = []
  const member = (path: JsonPath, start: number, end: number): void => {
    if (!isFilePath(path)) return
    const place = readPlace(bytes, path, start, end)
    if (place !== null) places.push(place)
  }
  // A body that cannot be walked is refused by its reader, which says why.
  try {
    walkJson(bytes, { member, skipsDeep: true })
  } catch {
    return null
  }
  return places.length === 0 ? null : places
}

/** Throws ApiError like `ReadFiles`. `release` must be called once, when the body is no longer needed. */
export async function insertFiles(
  body: Uint8Array,
  places: readonly Place[],
  teamId: string,
  readFiles: ReadFiles,
  signal: AbortSignal,
): Promise<{ readonly body: Uint8Array; readonly largeFiles?: LargeFiles; readonly release: () => void }> {
  const { parts, largeFiles, release } = await readFiles(
    places,
    teamId,
    async (file, _, read) => ({ mimeType: file.mimeType, data: (await read()).toString('base64') }),
    signal,
    true,
  )
  const pieces: Uint8Array[] = []
  let from = 0
  for (const { id, start, end, mimeType, displayName } of places) {
    const part = parts.get(id)
    const large = largeFiles?.files.get(id)
    const type = mimeType ?? part?.mimeType ?? large?.mimeType
    const facts = { mimeType: type, ...(displayName === null ? {} : { displayName }) }
    const head = JSON.stringify(facts).slice(0, -1)
    const member =
      large === undefined
        ? `"inlineData":${head},"data":"${part?.data ?? ''}"}`
        : `"fileData":${head},"fileUri":"${large.mark}"}`
    pieces.push(body.subarray(from, start), Buffer.from(member))
    from = end
  }
  const whole = Buffer.concat([...pieces, body.subarray(from)])
  return { body: whole, ...(largeFiles === undefined ? {} : { largeFiles }), release }
}

/** `contents[0].parts[1].fileData`, also in a system instruction, a function's response, and what is to be counted. */
function isFilePath(path: JsonPath): boolean {
  const last = path.at(-1)
  if (last !== 'fileData' && last !== 'file_data') return false
  const names = path.map(step => (typeof step === 'number' ? '0' : step.replaceAll('_', ''))).join('.')
  return /^(?:generatecontentrequest\.)?(?:contents\.0|systeminstruction)\.parts\.0\.(?:functionresponse\.parts\.0\.)?filedata$/i.test(
    names,
  )
}

function readPlace(bytes: Buffer, path: JsonPath, start: number, end: number): Place | null {
  const value = asRecord(JSON.parse(bytes.toString('utf8', start, end)))
  const uri = value?.fileUri ?? value?.file_uri
  const name = typeof uri === 'string' ? /(?:^|\/)files\/(?:file-)?(\w{1,100})$/.exec(uri)?.[1] : undefined
  if (value === null || name === undefined || !isUploadName(name)) return null
  const param = path
    .map(step => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1)
  const last = String(path.at(-1))
  const at = bytes.lastIndexOf(`"${last}"`, start)
  if (at < 0 || !/^"\w+"\s*:\s*$/.test(bytes.toString('latin1', at, start)))
    throw invalidRequest(param, `${param} must be written without escapes in its name.`)
  const mimeType = value.mimeType ?? value.mime_type
  const displayName = value.displayName ?? value.display_name
  return {
    id: idOfUpload(name),
    param,
    start: at,
    end,
    mimeType: typeof mimeType === 'string' ? mimeType : null,
    displayName: typeof displayName === 'string' ? displayName : null,
  }
}
