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
import type { Store } from '../store/store.ts'
import { buildPageInput, resolveKey } from './read-filter.ts'
import { writeCall, writeCallForOrganisers } from './write-call.ts'

export type CallsReaderDependencies = {
  readonly read: Pick<Store['read'], 'readCallsPage' | 'findCall'>
  readonly directory: Pick<Directory, 'findTeam' | 'findKey' | 'keys' | 'keysOfTeam'>
}

export class CallsReader {
  readonly #read: CallsReaderDependencies['read']
  readonly #directory: CallsReaderDependencies['directory']

  constructor({ read, directory }: CallsReaderDependencies) {
    this.#read = read
    this.#directory = directory
  }

  /** `keyHash`: of the calling key, which `me` stands for. Throws ApiError `invalid_request`, `key_not_found`. */
  async readOwn(
    { teamId, keyHash }: { readonly teamId: string; readonly keyHash: string },
    { key, ...query }: CallsQuery,
  ): Promise<CallsPage> {
    const directory = this.#directory
    const named = key === undefined || key === 'me' ? null : resolveKey(directory.keysOfTeam(teamId), key)
    const input = buildPageInput(query, { teamId, keyHash: key === 'me' ? keyHash : named })
    const { calls, nextBefore } = await this.#read.readCallsPage(input)
    return {
      items: calls.map(call => writeCall(call, directory.findKey(call.keyHash))),
      next_before: nextBefore,
    }
  }

  /** Null when the team has no such call. */
  async findOwn(teamId: string, callId: string): Promise<CallItem | null> {
    const call = await this.#read.findCall({ teamId, callId })
    return call === null ? null : writeCall(call, this.#directory.findKey(call.keyHash))
  }

  /** Throws ApiError `invalid_request`, `key_not_found`, `team_not_found`. */
  async readAll({ team_id, key, ...query }: OrganiserCallsQuery): Promise<OrganiserCallsPage> {
    const directory = this.#directory
    const teamId = team_id === undefined ? null : requireTeam(directory, team_id).teamId
    const keys = teamId === null ? directory.keys() : directory.keysOfTeam(teamId)
    const keyHash = key === undefined ? null : resolveKey(keys, key)
    const { calls, nextBefore } = await this.#read.readCallsPage(buildPageInput(query, { teamId, keyHash }))
    return {
      items: calls.map(call => writeCallForOrganisers(call, directory.findKey(call.keyHash))),
      next_before: nextBefore,
    }
  }

  async find(callId: string): Promise<OrganiserCallItem | null> {
    const call = await this.#read.findCall({ teamId: null, callId })
    return call === null ? null : writeCallForOrganisers(call, this.#directory.findKey(call.keyHash))
  }
}
