// Finds teams and keys that name models which the catalog does not have or no longer has. Such names allow and limit nothing.
import type { CatalogReload } from '@fairgate/contracts/management/catalog.ts'
import type { DirectoryLookups } from './directory-memory.ts'
import type { Key, OwnerLimits } from './types.ts'

type MissingModels = CatalogReload['warnings'][number]
type Owner = OwnerLimits & { readonly models: readonly string[] }

/** `isModel` knows canonical ids, `isName` also knows aliases. */
export function findMissingModels(
  directory: Pick<DirectoryLookups, 'teams' | 'keys'>,
  isModel: (id: string) => boolean,
  isName: (name: string) => boolean,
): MissingModels[] {
  const report = (teamId: string, key: string | null, named: Record<string, Iterable<string>>) =>
    Object.entries(named).flatMap(([member, names]): MissingModels[] => {
      const models = [...names].filter(name => !(member === 'aliases' ? isName(name) : isModel(name)))
      return models.length === 0 ? [] : [{ team_id: teamId, key, member, models }]
    })
  return [
    ...directory.teams().flatMap(team => report(team.teamId, null, namedByOwner(team))),
    ...directory.keys().flatMap(key => report(key.teamId, key.keyHash, namedByKey(key))),
  ]
}

function namedByOwner(owner: Owner): Record<string, Iterable<string>> {
  return {
    models: owner.models.filter(name => name !== 'all-team-models'),
    model_rpm_limit: owner.modelRpmLimit.keys(),
    model_tpm_limit: owner.modelTpmLimit.keys(),
  }
}

function namedByKey(key: Key): Record<string, Iterable<string>> {
  return {
    ...namedByOwner(key),
    aliases: key.aliases.values(),
    model_max_budget: key.modelMaxBudget.keys(),
  }
}
