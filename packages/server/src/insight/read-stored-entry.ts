// Reads one entry as stored, with its place in the chain of its team.
import type { StoredEntry } from '@fairgate/contracts/console/session-view.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Directory } from '../directory/create-directory.ts'
import { formatMicroseconds } from '../logbook/parse-instant.ts'
import type { Store } from '../store/store.ts'

/** `body`: the JSON of the entry, to be sent unchanged, never parsed and written again. */
export type FoundEntry = {
  readonly facts: Omit<StoredEntry, 'as_of' | 'version' | 'entry'>
  readonly body: string
}

const noLink = '0'.repeat(64)

/** `text`: the number of the entry within its team. Throws ApiError `entry_not_found`. */
export async function readStoredEntry(
  {
    read,
    directory,
  }: {
    readonly read: Pick<Store['read'], 'readEntriesAfter'>
    readonly directory: Pick<Directory, 'findLogTokenById' | 'findMember'>
  },
  teamId: string,
  text: string,
): Promise<FoundEntry> {
  const seq = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0
  // The previous entry has the chain value that this one continues.
  const rows =
    seq === 0
      ? []
      : await read.readEntriesAfter({ teamId, afterSeq: Math.max(0, seq - 2), limit: seq === 1 ? 1 : 2 })
  const row = rows.find(one => one.seq === seq)
  if (row === undefined)
    throw new ApiError('entry_not_found', { param: 'seq', message: `The team has no entry ${text}.` })
  const token = directory.findLogTokenById(row.tokenId)
  const memberId = token?.memberId ?? null
  return {
    body: row.body,
    facts: {
      team_id: teamId,
      seq,
      id: row.identity,
      ts: formatMicroseconds(row.tsMicros),
      received_at: formatMicroseconds(row.receivedMicros),
      is_late: row.late === 1,
      body_bytes: row.bodyBytes,
      body_sha256: Bun.SHA256.hash(row.body, 'hex'),
      chain: row.chain,
      previous_chain: rows.find(one => one.seq === seq - 1)?.chain ?? noLink,
      salt: writeBytes(row.salt),
      commitment: writeBytes(row.commitment),
      token: {
        token_id: row.tokenId,
        name: token?.tokenName ?? null,
        member_id: memberId,
        member: memberId === null ? null : (directory.findMember(memberId)?.name ?? null),
      },
      client_address: row.clientAddress,
    },
  }
}

function writeBytes(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('base64')
}
