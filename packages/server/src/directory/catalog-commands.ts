// Changes of the catalog as commands of the directory: audited, and never beside a change that looks models up.
import { buildAudit, type CommandDependencies } from './commands.ts'

type Change = { readonly before: object; readonly after: object; readonly use: () => void }

export type CatalogCommands = {
  /** Runs `prepare`, records its states, then calls its `use`. Throws what `prepare` throws; nothing is changed then. */
  readonly changeCatalog: <Prepared extends Change>(
    prepare: () => Prepared,
    actor: string,
  ) => Promise<Prepared>
}

export function createCatalogCommands({ write, inTurn, clock }: CommandDependencies): CatalogCommands {
  return {
    changeCatalog: (prepare, actor) =>
      inTurn(async () => {
        const change = prepare()
        const { before, after } = change
        const audited = { action: 'catalog.reload', actor, teamId: '', target: 'catalog', before, after }
        await write.recordAudit({ audit: buildAudit(clock(), audited) })
        change.use()
        return change
      }),
  }
}
