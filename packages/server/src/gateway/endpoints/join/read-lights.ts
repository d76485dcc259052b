// Reads the four lights of a joining laptop: the setup progress that its page shows while it waits.
import type { CallItem } from '@fairgate/contracts/calls/call.ts'
import type { LightState } from '@fairgate/contracts/console/teams.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { JoinLights } from '@fairgate/contracts/join/join.ts'
import type { Directory } from '../../../directory/create-directory.ts'
import type { Key } from '../../../directory/types.ts'
import type { JoinService } from '../../../people/join-service.ts'
import type { CallsReader } from '../../../record/calls-reader.ts'
import type { TokenEntry } from '../../../store/statements/list-entries.ts'
import type { SeenRecorder } from '../../../store/statements/recorders.ts'
import type { Store } from '../../../store/store.ts'

export type LightsDependencies = {
  readonly service: JoinService
  readonly directory: Pick<Directory, 'findKey' | 'logTokens' | 'version' | 'event'>
  readonly calls: Pick<CallsReader, 'readOwn'>
  readonly read: Pick<Store['read'], 'findEntryOfTokens'>
  /** Lists a team's recorders. Rejects with StoreUnavailable. */
  readonly listRecorders: (teamId: string) => Promise<readonly SeenRecorder[]>
  /** Unix ms. */
  readonly clock: () => number
}

/** Throws ApiError like `followTicket`. */
export async function readLights(dependencies: LightsDependencies, ticket: string): Promise<JoinLights> {
  const { service, directory, clock } = dependencies
  const { used_at: usedAt, key_hash: keyHash } = await service.followTicket(ticket)
  const key = keyHash === null ? undefined : directory.findKey(keyHash)
  const [call, laptop] =
    key === undefined
      ? [null, nothingHeard]
      : await Promise.all([readCall(dependencies, key), readLaptop(dependencies, key)])
  return {
    as_of: isoTime(clock()),
    version: directory.version(),
    time_zone: directory.event().timeZone,
    lights: judgeLights({ usedAt, key, call, ...laptop }),
  }
}

/** The newest successful one, otherwise the newest; null if there is none. */
async function readCall({ calls }: LightsDependencies, { teamId, keyHash }: Key): Promise<CallItem | null> {
  const read = async (outcome?: 'completed') => {
    const filter = { key: 'me', limit: 1, ...(outcome === undefined ? {} : { outcome }) }
    return (await calls.readOwn({ teamId, keyHash }, filter)).items[0] ?? null
  }
  return (await read('completed')) ?? (await read())
}

type Laptop = { readonly seen: SeenRecorder | null; readonly entry: TokenEntry | null }
const nothingHeard: Laptop = { seen: null, entry: null }

/** From the log tokens that the member got since this key was made. */
async function readLaptop(
  { directory, read, listRecorders }: LightsDependencies,
  { teamId, memberId, createdAt }: Key,
): Promise<Laptop> {
  const tokenIds = directory
    .logTokens()
    .filter(token => token.memberId === memberId && token.createdAt >= createdAt)
    .map(({ tokenId }) => tokenId)
  const [recorders, entry] = await Promise.all([
    listRecorders(teamId),
    read.findEntryOfTokens({ teamId, tokenIds }),
  ])
  const seen = recorders
    .filter(({ tokenId }) => tokenIds.includes(tokenId))
    .toSorted((left, right) => right.seenAt - left.seenAt)[0]
  return { seen: seen ?? null, entry }
}

type Facts = Laptop & {
  /** Unix ms; null while the line has not been run. */
  readonly usedAt: number | null
  /** Undefined before, and if it was deleted since. */
  readonly key: Key | undefined
  readonly call: CallItem | null
}

function judgeLights({ usedAt, key, call, seen, entry }: Facts): JoinLights['lights'] {
  return {
    key:
      usedAt === null
        ? light('none', null, 'The line has not been run yet.')
        : key === undefined || key.blocked === true
          ? light('blocked', usedAt, 'The key has since been blocked or deleted. Ask the organisers.')
          : light('ok', usedAt, `Created on your laptop; ends in ${key.keyName.slice(-4)}.`),
    call:
      call === null
        ? light('none', null, 'No calls with this key yet.')
        : call.outcome === 'completed'
          ? light('ok', Date.parse(call.received_at), 'A call succeeded.')
          : light(
              'warn',
              Date.parse(call.received_at),
              `The last call failed: ${call.code ?? call.outcome}.`,
            ),
    recorder:
      seen === null
        ? light('none', null, 'The recorder on this laptop has not reported yet.')
        : seen.gone.length > 0
          ? light('warn', seen.seenAt, `Hooks are missing for ${seen.gone.join(', ')}. Run the line again.`)
          : light('ok', seen.seenAt, `Version ${seen.version} has reported.`),
    entry:
      entry === null
        ? light('none', null, 'No log entries from you yet.')
        : light('ok', entry.receivedAt, 'The log has an entry from you.'),
  }
}

function light(s: LightState, since: number | null, text: string) {
  return { s, since: isoTime(since), text }
}
