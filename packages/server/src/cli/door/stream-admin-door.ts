// One request to the admin door whose reply is taken piece by piece, however long it is.
import { CommandFailure } from '../command-failure.ts'
import { type AdminDoor, type AdminQuery, askAdminDoor, requireGoodReply } from './call-admin-door.ts'

export type AdminStream = AsyncIterable<Uint8Array>

/** Throws CommandFailure: 1 when the door refuses, 3 when it is not there or the reply breaks off, also while it is read. */
export async function streamAdminDoor(
  door: AdminDoor,
  path: string,
  query: AdminQuery,
  mediaType: string,
): Promise<AdminStream> {
  const response = await askAdminDoor(door, { get: path, query, patient: true })
  await requireGoodReply(door, response, mediaType)
  return readPieces(door, response)
}

async function* readPieces({ url }: AdminDoor, response: Response): AsyncGenerator<Uint8Array, void> {
  if (response.body === null) return
  try {
    yield* response.body
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    throw new CommandFailure(3, `The reply of ${url} broke off (${code}).`)
  }
}
