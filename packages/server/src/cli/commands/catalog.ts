// `fairgate catalog …`: shows the models and their prices, and reads their file again.
import {
  type CatalogList,
  type CatalogModelRecord,
  type CatalogReload,
  catalogReloadSchema,
  catalogSchema,
} from '@fairgate/contracts/management/catalog.ts'
import { previewReplySchema } from '@fairgate/contracts/management/planned-act.ts'
import type { Command } from 'commander'
import { describePreview, dryRunOption, type PlainOptions, reasonOption } from '../acts.ts'
import type { CommandContext } from '../command-context.ts'
import { absent, formatList, formatTable } from '../output/format.ts'

const help = `
Examples:
  $ fairgate catalog list
  $ fairgate catalog reload`

export function addCatalogCommands(program: Command, context: CommandContext): void {
  const { show } = context
  const group = program.command('catalog').description('models and their prices').addHelpText('after', help)
  group
    .command('list')
    .description('all models with their prices, limits and upstream')
    .action(() => show({ get: '/catalog' }, catalogSchema, describeCatalog))
  group
    .command('reload')
    .description('read the file of models again, without dropping a request; a faulty one changes nothing')
    .option(...reasonOption)
    .option(...dryRunOption)
    .action(async ({ reason, dryRun }: PlainOptions) => {
      // This route has no body of its own: what is said of the act stands in its address.
      const said = new URLSearchParams({
        ...(reason === undefined ? {} : { reason }),
        ...(dryRun === true ? { dry_run: 'true' } : {}),
      })
      const request = { post: said.size === 0 ? '/catalog/reload' : `/catalog/reload?${said}`, body: {} }
      if (dryRun === true) return await show(request, previewReplySchema, describePreview)
      await show(request, catalogReloadSchema, describeReload)
    })
}

function describeCatalog({ models }: CatalogList): string {
  return formatTable(
    ['MODEL', 'KIND', 'UPSTREAM ID', 'RPM', 'TPM', 'RETIRES', 'USD PER MILLION TOKENS, OR PER ITEM'],
    models.map(model => [
      model.id,
      model.modality,
      model.upstream_id,
      String(model.rpm_limit ?? absent),
      String(model.tpm_limit ?? absent),
      model.retires_on ?? absent,
      describePrices(model),
    ]),
  )
}

function describePrices({ price, price_above: above }: CatalogModelRecord): string {
  const tiers = Object.entries(above).map(
    ([tokens, prices]) => `above ${tokens} tokens: ${listPrices(prices)}`,
  )
  return [listPrices(price), ...tiers].join('; ')
}

/** Leaves out media in the input that cost the same as text, and reasoning that costs the same as output. */
function listPrices(price: Readonly<Record<string, number>>): string {
  const shown = Object.entries(price).filter(([member, amount]) => {
    if (member.startsWith('input_')) return amount !== price.input
    return member !== 'reasoning' || amount !== price.output
  })
  return shown.map(([member, amount]) => `${member} ${amount}`).join(', ')
}

function describeReload(reload: CatalogReload): string {
  const { models, added, removed, changed, warnings } = reload
  const lines = [`The catalog was read again: ${models} models.`]
  if (added.length + removed.length + changed.length === 0) lines.push('Nothing has changed.')
  if (added.length > 0) lines.push(`new: ${formatList(added, absent)}`)
  if (removed.length > 0) lines.push(`gone: ${formatList(removed, absent)}`)
  for (const id of changed) lines.push(`changed: ${id}: ${describeMembers(reload, id)}`)
  for (const { team_id: team, key, member, models: names } of warnings) {
    const owner = key === null ? `the team ${team}` : `the key ${key.slice(0, 16)} of ${team}`
    lines.push(`warning: ${member} of ${owner} names what the catalog does not have: ${names.join(', ')}`)
  }
  return lines.join('\n')
}

function describeMembers({ before, after }: CatalogReload, id: string): string {
  const [from, to] = [Object(before[id]), Object(after[id])]
  return Object.keys(to)
    .map(member => `${member} ${JSON.stringify(from[member])} → ${JSON.stringify(to[member])}`)
    .join('; ')
}
