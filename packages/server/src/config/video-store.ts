// Settings and keys of the store for copies of finished videos: a folder, or an S3 object store.
import { dirname, join, resolve } from 'node:path'
import Type, { type Static } from 'typebox'
import type { Environment } from './environment.ts'
import { readGivenSecret } from './secret-file.ts'

const text = Type.String({ minLength: 1, maxLength: 1024 })

export const videoStoreSchema = Type.Object(
  {
    kind: Type.Enum(['folder', 's3'], { default: 'folder' }),
    folder: Type.Optional(text),
    endpoint: Type.Optional(text),
    region: Type.Optional(text),
    bucket: Type.Optional(text),
    prefix: Type.Optional(Type.String({ pattern: '^([A-Za-z0-9._-]+/)*$', maxLength: 512 })),
  },
  { additionalProperties: false, default: {} },
)

type VideoStoreSettings = Static<typeof videoStoreSchema>

export type VideoStore =
  | { readonly kind: 'folder'; readonly folder: string }
  | {
      readonly kind: 's3'
      /** The folder for incomplete videos. */
      readonly folder: string
      /** The object store's address, without the bucket. */
      readonly endpoint: string
      readonly region: string
      readonly bucket: string
      /** Prefix of the object names; empty, or ends with a slash. */
      readonly prefix: string
    }

export type VideoStoreKeys = { readonly accessKeyId: string; readonly secretAccessKey: string }

/** The most that an object store accepts in one request (S3's PutObject). */
const maxMebibytesAtOnce = 5120

/** Throws an Error that names the setting at fault. */
export function buildVideoStore(
  settingsPath: string,
  videos: { readonly store: VideoStoreSettings; readonly max_file_mebibytes: number },
  dataFolder: string,
): VideoStore {
  const { kind, folder, endpoint, region = 'us-east-1', bucket, prefix = '' } = videos.store
  const refuse = (message: string) => new Error(`${settingsPath}: setting videos.store${message}`)
  const usual = join(dataFolder, 'videos')
  if (kind === 'folder') {
    const idle = (['endpoint', 'region', 'bucket', 'prefix'] as const).find(
      name => videos.store[name] !== undefined,
    )
    if (idle !== undefined) throw refuse(`.${idle} is for an object store: set videos.store.kind to s3.`)
    return { kind, folder: folder === undefined ? usual : resolve(dirname(settingsPath), folder) }
  }
  if (folder !== undefined)
    throw refuse('.folder is for copies in a folder: leave it out, or set kind to folder.')
  if (endpoint === undefined || bucket === undefined)
    throw refuse(' needs an endpoint, such as https://s3.example.org, and a bucket.')
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.search + url.hash + url.username !== '')
    throw refuse(`.endpoint must be an http or https address without query, not "${endpoint}".`)
  if (!/^[a-z0-9][a-z0-9._-]{1,62}$/i.test(bucket))
    throw refuse(`.bucket is not a valid bucket name: "${bucket}".`)
  if (videos.max_file_mebibytes > maxMebibytesAtOnce)
    throw new Error(
      `${settingsPath}: setting videos.max_file_mebibytes must be at most ${maxMebibytesAtOnce} with an object store.`,
    )
  return { kind, folder: usual, endpoint: endpoint.replace(/\/+$/, ''), region, bucket, prefix }
}

/** Null for a folder. Throws an Error that names the variable at fault, never a key. */
export function readVideoStoreKeys(environment: Environment, { kind }: VideoStore): VideoStoreKeys | null {
  const {
    FAIRGATE_S3_ACCESS_KEY_ID: accessKeyId,
    FAIRGATE_S3_SECRET_ACCESS_KEY: given,
    FAIRGATE_S3_SECRET_ACCESS_KEY_FILE: file,
  } = environment
  if (kind === 'folder') {
    if ((accessKeyId ?? given ?? file) === undefined) return null
    throw new Error(
      'FAIRGATE_S3_ACCESS_KEY_ID and FAIRGATE_S3_SECRET_ACCESS_KEY have no effect while videos.store.kind is folder.',
    )
  }
  if (given !== undefined && file !== undefined)
    throw new Error('Set FAIRGATE_S3_SECRET_ACCESS_KEY or FAIRGATE_S3_SECRET_ACCESS_KEY_FILE, not both.')
  const secretAccessKey =
    file === undefined ? given : readGivenSecret('FAIRGATE_S3_SECRET_ACCESS_KEY_FILE', file)
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error(
      'With videos.store.kind s3, set FAIRGATE_S3_ACCESS_KEY_ID, and FAIRGATE_S3_SECRET_ACCESS_KEY or FAIRGATE_S3_SECRET_ACCESS_KEY_FILE.',
    )
  return { accessKeyId, secretAccessKey }
}
