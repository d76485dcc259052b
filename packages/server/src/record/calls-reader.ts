// Reads the record of calls for both doors: a team its own calls, organisers those of all teams.
import type { CallItem, OrganiserCallItem } from '@fairgate/contracts/calls/call.ts'
import type {
  CallsPage,
  CallsQuery,
  OrganiserCallsPage,
  OrganiserCallsQuery,
} from '@fairgate/contracts/calls/call-list.ts'
import type { Directory } from '../directory/create-directory.ts'
import { requireTeam } from '../directory/refusals.ts'
import type { CallCorrection } from '../store/statements/adjustments.ts'
import type { StoredCall } from '../store/statements/calls.ts'
import type { Store } from '../store/store.ts'
import { buildPageInput, resolveKey } from './read-filter.ts'
import { writeCall, writeCallForOrganisers } from './write-call.ts'

export type CallsReader = ReturnType<typeof createCallsReader>

export function createCallsReader(
  read: Pick<Store['read'], 'readCallsPage' | 'findCall' | 'readCallCorrections'>,
  directory: Pick<Directory, 'findTeam' | 'findKeyName' | 'keys' | 'keysOfTeam'>,
) {
  /** Adds their key names and corrections. */
  const writeAll = async <Item>(
    calls: readonly StoredCall[],
    write: (
      call: StoredCall,
      key: ReturnType<Directory['findKeyName']>,
      corrections: readonly CallCorrection[],
    ) => Item,
  ): Promise<Item[]> => {
    // A refused call has nothing to correct.
    const charged = calls.filter(({ outcome }) => outcome !== 'refused')
    const corrections = charged.length === 0 ? [] : await read.readCallCorrections({ calls: charged })
    return calls.map(call => {
      const own = corrections.filter(({ callId, teamId }) => callId === call.callId && teamId === call.teamId)
      return write(call, directory.findKeyName(call.keyHash), own)
    })
  }

  return {
    /** `keyHash`: hash of the calling key, which `me` refers to. Throws ApiError `invalid_request`, `key_not_found`. */
    async readOwn(
      { teamId, keyHash }: { readonly teamId: string; readonly keyHash: string },
      { key, ...query }: CallsQuery,
    ): Promise<CallsPage> {
      const named = key === undefined || key === 'me' ? null : resolveKey(directory.keysOfTeam(teamId), key)
      const input = buildPageInput(query, { teamId, keyHash: key === 'me' ? keyHash : named })
      const { calls, nextBefore } = await read.readCallsPage(input)
      return {
        items: await writeAll(calls, writeCall),
        next_before: nextBefore,
      }
    },

    /** Null if the team has no such call. */
    async findOwn(teamId: string, callId: string): Promise<CallItem | null> {
      const call = await read.findCall({ teamId, callId })
      if (call === null) return null
      return (await writeAll([call], writeCall))[0] ?? null
    },

    /** Throws ApiError `invalid_request`, `key_not_found`, `team_not_found`. */
    async readAll({ team_id, key, ...query }: OrganiserCallsQuery): Promise<OrganiserCallsPage> {
      const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
      const keys = teamId === null ? directory.keys() : directory.keysOfTeam(teamId)
      const keyHash = key === undefined ? null : resolveKey(keys, key)
      const { calls, nextBefore } = await read.readCallsPage(buildPageInput(query, { teamId, keyHash }))
      return {
        items: await writeAll(calls, writeCallForOrganisers),
        next_before: nextBefore,
      }
    },

    async find(callId: string): Promise<OrganiserCallItem | null> {
      const call = await read.findCall({ teamId: null, callId })
      if (call === null) return null
      return (await writeAll([call], writeCallForOrganisers))[0] ?? null
    },
  }
}
