// POST /lookup: identifies an id, name or key ending that a person pastes, with the route that has its details.
import {
  type LookupItem,
  lookupBodySchema,
  lookupReplySchema,
  maxFound,
} from '@fairgate/contracts/console/lookup.ts'
import { isKeyNamed, isTokenNamed } from '../../directory/find-named.ts'
import { isHashOf } from '../../directory/key-secrets.ts'
import { refuseValue } from '../../directory/refusals.ts'
import { type AdminRoute, changeRoute, type Management } from '../management-route.ts'

type Found = LookupItem & { readonly isExact: boolean }

/** A POST, because the value may be the hash of a key, which must not appear in addresses or logs. */
export function lookupRouteOf(management: Management): AdminRoute {
  return changeRoute({
    tag: 'Overview',
    openTo: 'judges',
    path: '/lookup',
    summary: 'Look up an id, part of a name, or the last characters of a key',
    description: 'Changes nothing. A key or log token itself is refused: send its SHA-256.',
    body: lookupBodySchema,
    reply: lookupReplySchema,
    errors: [],
    change: async ({ value }) => {
      const text = value.trim()
      if (text.startsWith('sk-') || text.startsWith('aitc_'))
        throw refuseValue(
          'value',
          'do not send a key or token itself. Send its SHA-256 or its last four characters.',
        )
      const found =
        text === '' ? [] : [...findNamed(text, management), ...(await findStored(text, management))]
      const items = [...found.filter(({ isExact }) => isExact), ...found.filter(({ isExact }) => !isExact)]
        .slice(0, maxFound)
        .map(({ isExact: _, ...item }) => item)
      return { ...management.moment(), items, next: null }
    },
  })
}

/** Searches records in memory: teams, members, keys, log tokens and models. */
function findNamed(text: string, { directory, catalog }: Management): Found[] {
  const lower = text.toLocaleLowerCase()
  const has = (name: string) => name.toLocaleLowerCase().includes(lower)
  const query = (values: Readonly<Record<string, string>>) => new URLSearchParams(values).toString()
  const teams = directory
    .teams()
    .filter(({ teamId, alias }) => has(teamId) || has(alias))
    .map(({ teamId, alias }): Found => {
      const url = `/team/info?${query({ team_id: teamId })}`
      return {
        kind: 'team',
        id: teamId,
        name: alias,
        team_id: teamId,
        url,
        isExact: teamId === text || alias === text,
      }
    })
  const members = directory
    .members()
    .filter(({ memberId, name, removedAt }) => removedAt === null && (memberId === text || has(name)))
    .map(({ memberId, name, teamId }): Found => {
      const url = `/people?${query({ team_id: teamId })}`
      return { kind: 'member', id: memberId, name, team_id: teamId, url, isExact: memberId === text }
    })
  const keys = directory
    .keys()
    .filter(key => isKeyNamed(key, text) || isHashOf(key, lower) || has(key.alias))
    .map((key): Found => {
      const { keyHash, keyName, alias, teamId } = key
      const url = `/key/info?${query({ key: keyHash })}`
      const isExact = isKeyNamed(key, text) || isHashOf(key, lower)
      return { kind: 'key', id: keyHash, name: alias === '' ? keyName : alias, team_id: teamId, url, isExact }
    })
  const tokens = directory
    .logTokens()
    .filter(token => isTokenNamed(token, text))
    .map(({ tokenId, tokenName, teamId }): Found => {
      const url = `/log_token/list?${query({ team_id: teamId })}`
      return { kind: 'log_token', id: tokenId, name: tokenName, team_id: teamId, url, isExact: true }
    })
  const models = [...catalog.models, ...catalog.families]
    .filter(({ id, aliases }) => [id, ...aliases].some(has))
    .map(({ id, aliases }): Found => {
      const isExact = [id, ...aliases].includes(text)
      return { kind: 'model', id, name: id, team_id: null, url: '/catalog', isExact }
    })
  return [...teams, ...members, ...keys, ...tokens, ...models]
}

/** Finds a call by its id, or an entry by its team and number. */
async function findStored(text: string, { directory, calls, entries }: Management): Promise<Found[]> {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) {
    const call = await calls.find(text)
    if (call === null) return []
    const { call_id: id, team_id, explanation, outcome, model_asked: model } = call
    const name = `${model ?? 'a call'}: ${explanation ?? outcome}`
    return [{ kind: 'call', id, name, team_id, url: `/calls/${id}`, isExact: true }]
  }
  const [, teamId = '', seq = ''] = /^(.+)#([1-9][0-9]{0,14})$/.exec(text) ?? []
  const team = directory.findTeam(teamId)
  const entry = team === undefined ? null : await entries.findEntry(teamId, seq)
  if (team === undefined || entry === null) return []
  const url = `/logs/entry?${new URLSearchParams({ team_id: teamId, entry: seq }).toString()}`
  return [
    { kind: 'entry', id: text, name: `Entry ${seq} of ${team.alias}`, team_id: teamId, url, isExact: true },
  ]
}
