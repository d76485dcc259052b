// Turns sums of the store into items of a report. Each way to group spend is a row of the table here.
import type { SpendGrouping, SpendReportItem } from '@fairgate/contracts/spend/spend-report.ts'
import Type from 'typebox'
import type { Directory } from '../directory/create-directory.ts'
import { placeNumber, readPlace, writePlace } from '../directory/pages.ts'
import type { SpendDimension, SpendSum } from '../store/statements/spend-sums.ts'

type Names = Pick<Directory, 'findTeam' | 'findKey' | 'findKeyName' | 'findMember'>
type Figures = Pick<SpendReportItem, 'calls' | 'refused' | 'cost_nano'>
type Identity = Omit<SpendReportItem, keyof Figures>

type Grouping = {
  /** The dimension that the store sums by. */
  readonly dimensions: readonly SpendDimension[]
  /** The owner of a sum; null if it has none. Sums with equal identities are one item. */
  readonly identify: (sum: SpendSum, names: Names) => Identity | null
}

const groupings: Readonly<Record<SpendGrouping, Grouping>> = {
  team: {
    dimensions: ['team_id'],
    identify: ({ teamId }, names) => (teamId === null ? null : nameTeam(teamId, names)),
  },
  member: {
    // A member owns only a few keys, deleted ones included, so the sums of keys are few enough to be added here.
    dimensions: ['team_id', 'key_hash'],
    identify: ({ teamId, keyHash }, names) => {
      if (teamId === null || keyHash === null) return null
      const memberId = names.findKeyName(keyHash)?.memberId ?? null
      if (memberId === null) return { member_id: null, member_name: null }
      const member_name = names.findMember(memberId)?.name ?? null
      return { ...nameTeam(teamId, names), member_id: memberId, member_name }
    },
  },
  key: {
    dimensions: ['team_id', 'key_hash'],
    identify: ({ teamId, keyHash }, names) => {
      if (teamId === null || keyHash === null) return null
      const key = names.findKeyName(keyHash)
      return {
        ...nameTeam(teamId, names),
        key: keyHash,
        key_name: key?.keyName ?? null,
        key_alias: key?.alias ?? null,
      }
    },
  },
  model: {
    dimensions: ['model_id'],
    identify: ({ modelId }) => ({ model: modelId === '' ? null : modelId }),
  },
  code: {
    dimensions: ['code'],
    identify: ({ code }) => (code === null || code === '' ? null : { code }),
  },
}

function nameTeam(teamId: string, names: Names): Identity {
  return { team_id: teamId, team_alias: names.findTeam(teamId)?.alias ?? null }
}

export function dimensionsOf(by: SpendGrouping | null): readonly SpendDimension[] {
  return by === null ? [] : groupings[by].dimensions
}

export type SpendGroup<Sum> = { readonly identity: Identity; readonly sums: readonly Sum[] } & Figures

/** Highest spend first, then most refusals, then by name. */
export function groupSpend(
  sums: readonly SpendSum[],
  by: SpendGrouping | null,
  names: Names,
): SpendGroup<SpendSum>[] {
  const groups = new Map<string, { identity: Identity; sums: SpendSum[] }>()
  for (const sum of sums) {
    const identity = by === null ? {} : groupings[by].identify(sum, names)
    if (identity === null) continue
    const name = nameOf(identity)
    const known = groups.get(name)
    if (known === undefined) groups.set(name, { identity, sums: [sum] })
    else known.sums.push(sum)
  }
  return [...groups.values()]
    .map(({ identity, sums: own }) => ({ identity, sums: own, ...addFigures(own) }))
    .sort(compareGroups)
}

export function addFigures(sums: readonly SpendSum[]): Figures {
  let [calls, refused, cost] = [0, 0, 0]
  for (const sum of sums) {
    calls += sum.calls
    refused += sum.refused
    cost += sum.cost
  }
  return { calls, refused, cost_nano: cost }
}

type Place = Figures & { readonly identity: Identity }

function compareGroups(left: Place, right: Place): number {
  if (left.cost_nano !== right.cost_nano) return right.cost_nano - left.cost_nano
  if (left.refused !== right.refused) return right.refused - left.refused
  return nameOf(left.identity) < nameOf(right.identity) ? -1 : 1
}

function nameOf({ team_id, member_id, key, model, code }: Identity): string {
  return JSON.stringify([team_id ?? null, member_id ?? null, key ?? null, model ?? null, code ?? null])
}

/** Where a page ended: figures and name of its last item. If sums change meanwhile, an item may move, but pages never overlap. */
export function writeCursor({ cost_nano, refused, identity }: Place): string {
  return writePlace([cost_nano, refused, nameOf(identity)])
}

const placeSchema = Type.Tuple([placeNumber, placeNumber, Type.String()])

/** The items after a cursor. Throws ApiError `invalid_request` for an invalid one. */
export function takeBehind<Group extends Place>(groups: readonly Group[], cursor: string): Group[] {
  const [cost, refused, name] = readPlace(placeSchema, cursor)
  return groups.filter(group => {
    if (group.cost_nano !== cost) return group.cost_nano < cost
    if (group.refused !== refused) return group.refused < refused
    return nameOf(group.identity) > name
  })
}
